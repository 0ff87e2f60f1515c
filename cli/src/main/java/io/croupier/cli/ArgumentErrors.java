package io.croupier.cli;

import io.croupier.schemas.VisibleText;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MaxValuesExceededException;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Prints errors in the arguments of a command in two lines: what is wrong, and where the help is.
 * Only a missing command shows the help itself.
 */
final class ArgumentErrors implements IParameterExceptionHandler {
  private static final Set<Class<?>> WHOLE =
      Set.of(int.class, Integer.class, long.class, Long.class, short.class, Short.class);
  private static final Set<Class<?>> NUMBER =
      Set.of(double.class, Double.class, float.class, Float.class);

  @Override
  public int handleParseException(ParameterException error, String[] arguments) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(VisibleText.name(sentence(error, arguments)));
    if (error instanceof MissingCommandException) {
      command.usage(err);
    } else {
      err.printf("See '%s --help'.%n", command.getCommandSpec().qualifiedName(" "));
    }
    return ExitCode.ARGUMENTS.code();
  }

  private static String sentence(ParameterException error, String[] arguments) {
    if (error instanceof UnmatchedArgumentException unmatched) {
      return unmatched(unmatched);
    }
    if (error instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
      return missing(missing, arguments);
    }
    if (error instanceof OverwrittenOptionException
        || error instanceof MaxValuesExceededException) {
      return tooMany(error.getCommandLine().getCommandSpec(), arguments);
    }
    ArgSpec argument = error.getArgSpec();
    if (argument != null && error.getValue() != null) {
      String kind = kind(argument);
      if (!kind.isEmpty()) {
        return "%s is '%s'; it must be %s".formatted(name(argument), error.getValue(), kind);
      }
    }
    return error.getMessage().replaceFirst("^Error: ", "");
  }

  private static String unmatched(UnmatchedArgumentException error) {
    String first = error.getUnmatched().get(0);
    CommandLine command = error.getCommandLine();
    String what =
        error.isUnknownOption()
            ? "Unknown option '%s'"
            : command.getSubcommands().isEmpty()
                ? "Unexpected argument '%s'"
                : "Unknown command '%s'";
    String word = first.replaceFirst("^--", "");
    boolean isWord =
        command.getCommandSpec().positionalParameters().stream()
            .filter(argument -> argument.type().isEnum())
            .flatMap(argument -> Stream.of(argument.type().getEnumConstants()))
            .anyMatch(constant -> constant.toString().equalsIgnoreCase(word));
    List<String> suggestions =
        isWord
            ? List.of("'%s %s'".formatted(command.getCommandSpec().qualifiedName(" "), word))
            : error.getSuggestions().stream()
                .map(found -> found.substring(found.lastIndexOf(' ') + 1))
                .toList();
    return what.formatted(first)
        + (suggestions.isEmpty()
            ? ""
            : "; did you mean %s?".formatted(String.join(" or ", suggestions)));
  }

  private static String missing(MissingParameterException error, String[] arguments) {
    boolean oneOf = error.getMessage().contains("specify one of these");
    // Of a group, Picocli names all options, those that are given and those that may be left out,
    // too.
    List<String> names =
        error.getMissing().stream()
            .filter(argument -> oneOf || (argument.required() && given(argument, arguments) == 0))
            .map(ArgumentErrors::signature)
            .toList();
    if (names.isEmpty()) {
      return "A value is missing: " + signature(error.getMissing().get(0));
    }
    return "%s missing: %s"
        .formatted(
            oneOf ? "One of these is" : names.size() == 1 ? "An argument is" : "Arguments are",
            String.join(oneOf ? " or " : ", ", names));
  }

  /** Of options in groups, Picocli's message has the groups and all that is given of them. */
  private static String tooMany(CommandSpec command, String[] arguments) {
    return command.options().stream()
        .filter(option -> !option.isMultiValue() && given(option, arguments) > 1)
        .findFirst()
        .map(
            option ->
                "%s is given %d times; it must be given once"
                    .formatted(name(option), given(option, arguments)))
        .orElseGet(
            () ->
                "Only one of these may be given: "
                    + command.argGroups().stream()
                        .filter(ArgGroupSpec::exclusive)
                        .map(ArgGroupSpec::synopsis)
                        .collect(Collectors.joining("; ")));
  }

  /** How often an option is given. */
  private static long given(ArgSpec argument, String[] arguments) {
    return argument instanceof OptionSpec option
        ? Arrays.stream(option.names())
            .flatMap(
                name ->
                    Arrays.stream(arguments)
                        .filter(given -> given.equals(name) || given.startsWith(name + "=")))
            .count()
        : 0;
  }

  private static String signature(ArgSpec argument) {
    return argument.arity().max() == 0 || argument.isPositional()
        ? name(argument)
        : name(argument) + " " + argument.paramLabel();
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  /** What a value must be; empty where the option's own message has it. */
  private static String kind(ArgSpec argument) {
    Class<?> type = argument.isMultiValue() ? argument.auxiliaryTypes()[0] : argument.type();
    if (type.isEnum()) {
      return "one of "
          + Arrays.stream(type.getEnumConstants())
              .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(", "));
    }
    if (WHOLE.contains(type)) {
      return "a whole number";
    }
    if (NUMBER.contains(type)) {
      return "a number";
    }
    return argument.typeInfo().isMap() ? argument.paramLabel() : "";
  }
}
