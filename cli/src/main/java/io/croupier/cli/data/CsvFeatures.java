package io.croupier.cli.data;

import io.croupier.cli.InputException;
import io.croupier.cli.data.CsvTable.Kind;
import io.croupier.client.Features;
import io.croupier.schemas.Feature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The columns of a CSV file that a model's features name, as each device turns its own values into
 * a vector. Error messages contain file, line and column, no values.
 */
final class CsvFeatures {
  private final CsvTable table;
  private final Features features;
  private final Map<String, List<?>> columns = new HashMap<>();

  /**
   * What the columns that the features name must contain.
   *
   * @throws InputException if a feature needs an encoder
   */
  static Map<String, Kind> kinds(CsvTable table, Features features) {
    Map<String, Kind> kinds = new LinkedHashMap<>();
    for (Feature feature : features.list()) {
      switch (feature.getKindCase()) {
        case RANGE, MOMENTS -> kinds.put(feature.getName(), Kind.NUMBER);
        case YES_NO -> kinds.put(feature.getName(), Kind.ANSWER);
        case ONE_HOT -> kinds.put(feature.getName(), Kind.TEXT);
        case ENCODER ->
            throw new InputException(
                ("feature '%s' needs an encoder, which only the devices of its model have; this"
                        + " command can't read it from %s")
                    .formatted(feature.getName(), table.name()));
        case INTERCEPT -> {}
        case KIND_NOT_SET -> throw new IllegalArgumentException(feature.getName());
      }
    }
    return kinds;
  }

  /** Reads the columns, which have their {@linkplain #kinds kinds}; others are ignored. */
  CsvFeatures(CsvTable table, Features features) {
    this.table = table;
    this.features = features;
    for (Feature feature : features.list()) {
      if (!feature.hasIntercept()) {
        columns.put(feature.getName(), column(feature));
      }
    }
  }

  private List<?> column(Feature feature) {
    String name = feature.getName();
    return switch (feature.getKindCase()) {
      case RANGE, MOMENTS -> Arrays.stream(table.numbers(name)).boxed().toList();
      case YES_NO -> table.answers(name);
      case ONE_HOT -> table.column(name);
      case ENCODER, INTERCEPT, KIND_NOT_SET -> throw new IllegalArgumentException(name);
    };
  }

  /** The vectors of all rows, concatenated. */
  double[] vectors() {
    int width = features.size();
    double[] vectors = new double[Math.multiplyExact(table.size(), width)];
    for (int i = 0; i < table.size(); i++) {
      Map<String, Object> row = new HashMap<>();
      for (Map.Entry<String, List<?>> column : columns.entrySet()) {
        row.put(column.getKey(), column.getValue().get(i));
      }
      System.arraycopy(features.vector(row), 0, vectors, i * width, width);
    }
    return vectors;
  }

  /** The name of each value of a vector. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    for (Feature feature : features.list()) {
      String name = feature.getName();
      if (feature.hasOneHot()) {
        feature.getOneHot().getCategoriesList().forEach(value -> names.add(name + " = " + value));
        if (feature.getOneHot().getOther()) {
          names.add(name + ": other");
        }
      } else {
        names.add(name);
      }
    }
    return names;
  }
}
