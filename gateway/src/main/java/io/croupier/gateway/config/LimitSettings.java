package io.croupier.gateway.config;

import java.time.Duration;

/**
 * What one gateway accepts.
 *
 * @param body largest body in bytes
 * @param bodyTime longest time to receive a body
 * @param idle longest time of a connection without a byte, or without a complete header
 * @param connections largest number of connections
 * @param concurrent largest number of reports taken at the same time
 * @param waiting largest number of requests that wait for updates
 * @param longestWait longest time that a request may wait
 * @param user reports of one user
 * @param address of one address
 */
public record LimitSettings(
    int body,
    Duration bodyTime,
    Duration idle,
    int connections,
    int concurrent,
    int waiting,
    Duration longestWait,
    Rate user,
    Address address) {

  /**
   * Limits of one address.
   *
   * @param requests its requests
   * @param waiting largest number of its requests that wait for updates
   * @param connections largest number of its connections
   */
  public record Address(Rate requests, int waiting, int connections) {}

  /**
   * A token bucket.
   *
   * @param perMinute tokens that are added a minute
   * @param burst its capacity
   */
  public record Rate(int perMinute, int burst) {}
}
