package io.croupier.studies;

import io.croupier.operators.math.Vectors;
import java.util.ArrayList;
import java.util.List;

/** A cyclic sequence of people. */
interface Participants {

  int dimension();

  /** Calls the next person. */
  void next();

  /** Overwrites {@code into} with a subgradient of the loss of the person called. */
  void gradient(double[] weights, double[] into);

  /** The loss of weights beyond that of the best ones. */
  double excess(double[] weights);

  /**
   * Drawn from a population.
   *
   * @param people number of people, who are called cyclically; 0: a new person at each call
   */
  static Participants drawn(Population population, int people, SeededRandom random) {
    List<Person> all = new ArrayList<>();
    return new Participants() {
      private Person person = new Person(population.dimension());
      private int position = -1;

      @Override
      public int dimension() {
        return population.dimension();
      }

      @Override
      public void next() {
        if (people == 0) {
          population.draw(random, person);
          return;
        }
        position = (position + 1) % people;
        if (position == all.size()) {
          Person drawn = new Person(population.dimension());
          population.draw(random, drawn);
          all.add(drawn);
        }
        person = all.get(position);
      }

      @Override
      public void gradient(double[] weights, double[] into) {
        double slope = population.slope(Vectors.dot(person.x, weights), person.target);
        Vectors.scale(slope, person.x, into);
      }

      @Override
      public double excess(double[] weights) {
        return population.excess(weights);
      }
    };
  }
}
