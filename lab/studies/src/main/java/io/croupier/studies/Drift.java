package io.croupier.studies;

/** How the best weights move, in the plane of the first two coordinates. */
enum Drift {
  NOTHING("nothing changes") {
    @Override
    double angle(double time) {
      return 0;
    }
  },
  TURN_90("turn by 90 degrees at half time") {
    @Override
    double angle(double time) {
      return time < 0.5 ? 0 : Math.PI / 2;
    }
  },
  TURN_180("turn by 180 degrees at half time") {
    @Override
    double angle(double time) {
      return time < 0.5 ? 0 : Math.PI;
    }
  },
  ROTATION("slow rotation by 180 degrees") {
    @Override
    double angle(double time) {
      return Math.PI * time;
    }
  },
  SWING("swings by 45 degrees, ten times") {
    @Override
    double angle(double time) {
      return Math.PI / 4 * Math.sin(20 * Math.PI * time);
    }
  };

  final String label;

  Drift(String label) {
    this.label = label;
  }

  /** Of the best weights after this share of all rounds, in radians. */
  abstract double angle(double time);
}
