package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;

/** The rights granted by a broker, which can be withdrawn one at a time. */
final class GrantedRights {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Admin admin;
  private final Set<AclBinding> all;

  GrantedRights(Admin admin, Collection<AclBinding> all) {
    this.admin = admin;
    this.all = Set.copyOf(all);
  }

  void withdraw(AclBinding right) throws Exception {
    admin.deleteAcls(List.of(right.toFilter())).all().get();
    Set<AclBinding> others = new HashSet<>(all);
    others.remove(right);
    await(others);
  }

  void grant(AclBinding right) throws Exception {
    admin.createAcls(List.of(right)).all().get();
    await(all);
  }

  /** Waits until exactly these rights are granted. */
  void await(Set<AclBinding> rights) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!rights.equals(Set.copyOf(granted()))) {
      assertThat(System.nanoTime()).as("granted: %s", granted()).isLessThan(deadline);
    }
  }

  List<AclBinding> granted() throws Exception {
    return List.copyOf(admin.describeAcls(AclBindingFilter.ANY).values().get());
  }
}
