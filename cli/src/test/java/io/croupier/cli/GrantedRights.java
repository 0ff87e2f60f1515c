package io.croupier.cli;

import io.croupier.gateway.Condition;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;

/** The rights granted by a broker, which can be withdrawn one at a time. */
final class GrantedRights {
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
    Condition.await("the rights " + rights, () -> rights.equals(Set.copyOf(granted())));
  }

  List<AclBinding> granted() throws Exception {
    return List.copyOf(admin.describeAcls(AclBindingFilter.ANY).values().get());
  }
}
