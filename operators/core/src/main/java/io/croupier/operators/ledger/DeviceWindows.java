package io.croupier.operators.ledger;

import java.util.Arrays;

/**
 * The windows of one user's devices, in the order of their last fresh numbers.
 *
 * <p>The last {@value #OPEN} are open. The others are closed: only the highest number is kept, and
 * every number up to it is too old. A closed window opens when its device sends a higher number.
 * Beyond {@value #KEPT} devices the least recently used one is forgotten. A forgotten device is a
 * new one: its reports, if they are sent again, are used and charged again.
 */
public final class DeviceWindows {
  /** The most open windows of a user. */
  public static final int OPEN = 16;

  /** The most windows of a user. */
  public static final int KEPT = 64;

  private DeviceWindows() {}

  /** Returns the window of a device; null if it is not among these. */
  static DeviceWindow find(DeviceWindow[] windows, String deviceId) {
    // From the last used one on.
    for (int i = windows.length - 1; i >= 0; i--) {
      if (windows[i].deviceId.equals(deviceId)) {
        return windows[i];
      }
    }
    return null;
  }

  /**
   * Returns these windows and that of a device, which is now the last used one. The array may be
   * the given one, changed.
   */
  static DeviceWindow[] with(DeviceWindow[] windows, DeviceWindow window) {
    int last = windows.length - 1;
    if (last >= 0 && windows[last].deviceId.equals(window.deviceId)) {
      if (windows[last] != window) { // saves a memory fence, see HeldAccount
        windows[last] = window;
      }
      return windows;
    }
    DeviceWindow[] changed = windows;
    int from = last;
    while (from >= 0 && !windows[from].deviceId.equals(window.deviceId)) {
      from--;
    }
    if (from < 0) {
      from = 0;
      if (windows.length < KEPT) {
        changed = Arrays.copyOf(windows, windows.length + 1);
        from = windows.length;
      }
    }
    System.arraycopy(changed, from + 1, changed, from, changed.length - 1 - from);
    changed[changed.length - 1] = window;
    int beyond = changed.length - 1 - OPEN;
    if (beyond >= 0 && !changed[beyond].isClosed()) {
      changed[beyond].close();
    }
    return changed;
  }
}
