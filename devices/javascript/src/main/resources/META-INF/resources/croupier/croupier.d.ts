// Types of croupier.js. docs/build/javascript.md is the guide.

/** The version of this module. */
export const VERSION: string;

/** Base of all errors of this module. A CroupierError itself names a wrong argument. */
export class CroupierError extends Error {}

/** The report would exceed the person's limit, or the model's limit for a person. No noise was drawn. */
export class LimitReachedError extends CroupierError {}

/** These data were reported to the model as often as `times` allows. Nothing was drawn or spent. */
export class AlreadyReportedError extends CroupierError {}

/**
 * The job refuses this person's reports, or refused this device's last one, or has judged later ones than its ledger has.
 * Nothing was spent.
 */
export class JobRefusedError extends CroupierError {
  readonly account: JobAccount;
}

/** This device doesn't answer the round in that way, or has reported it before. Nothing was spent. */
export class NotChosenError extends CroupierError {}

/** Another tab has this ledger open, or has taken it over. */
export class LedgerBusyError extends CroupierError {}

/** The ledger can't be read or written. Nothing is drawn with it until it is opened again. */
export class LedgerError extends CroupierError {}

/** A problem document (RFC 9457). */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  [member: string]: unknown;
}

/** The gateway refused a request, or didn't answer it. */
export class GatewayError extends CroupierError {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly problem: Problem | null;
  /** What is wrong, in words. */
  readonly detail: string | null;
  /** Whether the same bytes will never be accepted. They stay spent. */
  readonly isFinal: boolean;
  /** Least time until the next try; null if repeating is useless. */
  readonly retryAfterMs: number | null;
}

/** The person is stopped: what waited to be sent is dropped, tokens among it. What is charged stays charged. */
export class StoppedError extends GatewayError {}

/** What this module uses of Web Crypto, such as globalThis.crypto; subtle for tokens alone. */
export type RandomSource = Pick<Crypto, 'getRandomValues'> & {
  subtle?: Pick<SubtleCrypto, 'digest'> & Partial<SubtleCrypto>;
};

/** A yes-or-no question of a model. */
export interface Question {
  readonly name: string;
  readonly kind: 'accuracy' | 'lossAbove' | 'unknown';
  /** Of lossAbove; otherwise null. */
  readonly threshold: number | null;
}

/** A count of people by their own data alone: to which of the categories does a person belong, or is a number above a threshold? */
export interface Statistic {
  readonly name: string;
  readonly kind: 'choice' | 'quantiles' | 'prefixes' | 'unknown';
  /** Of a choice, at least two; otherwise none. */
  readonly categories: readonly string[];
  /** Of quantiles: whether the person's number is above it is what the round asks; otherwise null. */
  readonly threshold: number | null;
  /** Of prefixes, what the devices of the round vote for; otherwise null. */
  readonly texts: TextCandidates | null;
}

/** What devices vote for: the texts, and each prefix followed by each letter, or by none. `""` is a free place. */
export interface TextCandidates {
  readonly letters: string;
  /** The most letters of a text. */
  readonly length: number;
  readonly top: number;
  readonly prefixes: readonly string[];
  readonly texts: readonly string[];
  /** How many candidates there are, free places included. */
  readonly count: number;
}

/** The terms on which a published round takes reports. */
export interface RoundTerms {
  readonly modelId: string;
  readonly round: number;
  readonly dimension: number;
  /** G, the clip of the round. */
  readonly gradientBound: number;
  readonly gridExponent: number;
  readonly answerProbability: number;
  readonly questionProbability: number;
  readonly questions: readonly Question[];
  readonly statistics: readonly Statistic[];
  /** What the clip bounds, if it moves; null if it is fixed. */
  readonly size: 'FEATURES' | 'GRADIENT' | 'UNKNOWN' | null;
  /** With FEATURES; otherwise 0. */
  readonly slopeBound: number;
  /** Whether the model only searches for its clip. */
  readonly isScouting: boolean;
  readonly limits: ModelLimits;
}

/** What a person may spend on a model over all time, beyond which the job refuses reports; Infinity where there is no such limit. */
export interface ModelLimits {
  /** Largest sum of epsilon; Infinity also where the spec limits it at a delta. */
  readonly epsilon: number;
  readonly reports: number;
}

/** A window of publications, in which a person reports once without identity. */
export interface TokenWindow {
  readonly window: number;
  readonly firstRound: number;
  readonly lastRound: number;
  /** What reports may declare; null for answers. */
  readonly levels: readonly ({
    readonly epsilon: number;
    readonly candidates: number;
    readonly top: number;
    /** The public key of the level's tokens: 256 bytes, big-endian. */
    readonly modulus: Uint8Array;
  } | null)[];
}

/** One published state of a model. */
export interface Snapshot {
  readonly modelId: string;
  readonly round: number;
  /** Where to evaluate the next gradient. */
  readonly weights: Float64Array;
  /** What to predict with. */
  readonly average: Float64Array;
  /** The earlier round whose average this is, since an operator rolled the model back; null if it is the newest one. */
  readonly averageRound: number | null;
  readonly terms: RoundTerms;
  /** How a row becomes a vector; without names if the spec doesn't describe it. Throws if this version can't know. */
  readonly features: Features;
  /** Windows that the gateway grants tokens for: that of this round, and the next one. */
  readonly windows: readonly TokenWindow[];
  /** The ModelUpdate in the JSON mapping of Protobuf. */
  readonly update: Readonly<Record<string, unknown>>;
  /**
   * The person's data with the label and the loss that the spec names, for takePart(). Throws, without the value, if one is
   * missing or not of its kind, or the spec has no `predicts`.
   *
   * @param row by name of the feature, and by the name of the label: true or false with the logistic and the hinge loss, one of
   *     the classes with softmax, a number with the others
   * @param features with the encoders of this page; by default those of the snapshot
   */
  participant(row: Readonly<Record<string, unknown>>, features?: Features): Rows;
  /**
   * What the average predicts: with the logistic loss the probability of true, with the hinge loss true or false, with softmax
   * the most probable class, otherwise a number in the range of the label.
   */
  predict(row: Readonly<Record<string, unknown>>, features?: Features): number | boolean | string;
}

/** A model in the gateway's list; 64-bit integers are texts, as in the JSON mapping of Protobuf. */
export interface ListedModel {
  readonly modelId: string;
  readonly learner?: string;
  readonly dimension: number;
  readonly round: string;
  /** Reports used. */
  readonly used: string;
  readonly publishedAtMs: string;
}

/** Reads a ModelUpdate in the JSON mapping of Protobuf. Throws if it is not usable. */
export function readUpdate(update: unknown): Snapshot;

/** How a model's features are computed from one person's values, the same on every device. */
export class Features {
  /** @param list the features of a valid spec, in the JSON mapping of Protobuf */
  constructor(list: readonly Readonly<Record<string, unknown>>[]);
  readonly names: readonly string[];
  /** The number of values of a vector. */
  readonly size: number;
  /** Bounds the L2 norm of every vector, up to rounding. */
  readonly largestNorm: number;
  /** The same with an encoder that the page contains. Throws if its bytes don't have the digest of the spec. */
  withEncoder(name: string, bytes: Uint8Array, encode: (value: any) => ArrayLike<number>): Features;
  /** The vector of one row, by name of the feature. Throws, without the value, if one is missing or not of its kind. */
  vector(row: Readonly<Record<string, unknown>>): Float64Array;
}

/** A loss of a linear prediction <x, w>, or of as many scores <x, w_c> as there are classes. */
export interface Loss {
  readonly name: string;
  /** Whether targets are classes: 0 or 1, or 0 to classes - 1. */
  readonly hasClasses: boolean;
  /** The number of classes that have a score each; absent for losses of one prediction. */
  readonly classes?: number;
  /** The least bound on the slope; may be Infinity. */
  readonly steepest: number;
  value(prediction: number | Float64Array, target: number): number;
  /** Of one prediction. */
  slope?(prediction: number, target: number): number;
  /** Of the scores of the classes. */
  slopes?(scores: Float64Array, target: number): Float64Array;
}

/** The loss of as many scores as there are classes. */
export interface SoftmaxLoss extends Loss {
  /** The scores of the classes at weights of the model. */
  scores(weights: ArrayLike<number>, x: ArrayLike<number>): Float64Array;
  probabilities(scores: Float64Array): Float64Array;
  /** The class of the highest score, the first one of several. */
  predicted(scores: ArrayLike<number>): number;
}

export const HUBER_C: number;
export const logistic: Loss;
export function softmax(classes: number): SoftmaxLoss;
export const squared: Loss;
export const absolute: Loss;
export const hinge: Loss;
export function pinball(level: number): Loss;
export function huber(options?: { c?: number; scale?: number }): Loss;

/** The L2 norm, without overflow or underflow. */
export function norm(vector: ArrayLike<number> & Iterable<number>): number;

/** min(1, k / ||x||) of each row. */
export function mallowsWeights(features: readonly (ArrayLike<number> & Iterable<number>)[], k: number): number[];

/** One person's rows. */
export class Rows {
  constructor(options: {
    features: readonly ArrayLike<number>[];
    targets: readonly number[];
    loss: Loss;
    importance?: readonly number[];
  });
  readonly dimension: number;
  readonly count: number;
  /** Whether the slope of the loss has a bound. */
  readonly hasBoundedSlope: boolean;
  /** The gradient of the mean loss of all rows. */
  gradient(weights: ArrayLike<number>): Float64Array;
  /** The loss of one row. */
  loss(row: number, weights: ArrayLike<number>): number;
  /** The size of the gradient, as the clip of a round bounds it. */
  size(terms: RoundTerms, weights: ArrayLike<number>): number;
  /** The rows' numbers as bytes, by which a ledger recognises them. */
  bytes(): Uint8Array;
  canAnswer(question: Question): boolean;
  answer(question: Question, row: number, average: ArrayLike<number>): boolean;
}

/** A release of priv_unit. */
export interface Choice {
  /** 64 bits, drawn independently of the gradient. */
  readonly seed: bigint;
  readonly index: number;
}

/** PrivUnit by rank, epsilon-LDP. Every call of choose() spends epsilon. */
export class PrivUnit {
  constructor(options: {
    dimension: number;
    epsilon: number;
    candidates?: 64 | 256 | 1024 | 4096;
    top?: number;
    crypto?: RandomSource;
  });
  readonly dimension: number;
  /** A multiple of 1e-9. */
  readonly epsilon: number;
  readonly epsilonNanos: bigint;
  readonly candidates: number;
  readonly top: number;
  choose(gradient: ArrayLike<number> & Iterable<number>, gradientBound: number): Choice;
}

/** The first `dimension` coordinates of a candidate of a seed, as docs/reference/priv-unit.md specifies them. */
export function expandCandidate(seed: bigint, index: number, length: number, dimension: number): Float64Array;

/** One randomised bit, epsilon-LDP. Every release spends epsilon. */
export class RandomisedResponse {
  constructor(options: { epsilon: number; crypto?: RandomSource });
  readonly epsilon: number;
  readonly epsilonNanos: bigint;
  release(answer: boolean): boolean;
}

/** The group of one of k categories by hashed response, epsilon-LDP. Every release spends epsilon. */
export class HashedResponse {
  constructor(options: { epsilon: number; categories: number; crypto?: RandomSource });
  readonly epsilon: number;
  readonly epsilonNanos: bigint;
  readonly categories: number;
  readonly groups: number;
  /** Whether a seed assigns the categories to groups. */
  readonly isHashed: boolean;
  release(category: number): { readonly seed: bigint | null; readonly group: number };
}

/** How a page follows a model. */
export interface FollowOptions {
  signal?: AbortSignal;
  /** Called before each wait after a failure, until the next try: why, and for how many milliseconds. */
  onRetry?: (error: GatewayError, ms: number) => void;
}

/** The gateway's HTTP API. */
export class Gateway {
  constructor(options: {
    /** Base of the API, without /v1. */
    url: string;
    /** Returns the bearer token; called with {refresh: true} after an answer of 401. */
    token?: ((options: { refresh: boolean }) => string | Promise<string>) | null;
    fetch?: typeof globalThis.fetch;
    sleep?: (ms: number) => Promise<void>;
    now?: () => number;
    crypto?: RandomSource;
    /** For anonymous reports, without a token: the relay's URL, and the Base64 of the gateway's key, which the app contains. */
    relay?: { url: string; key: string } | null;
  });
  /** The models, as the gateway lists them. */
  models(options?: { signal?: AbortSignal }): Promise<ListedModel[]>;
  newest(modelId: string, options?: { signal?: AbortSignal }): Promise<Snapshot>;
  /** By long polls. */
  follow(modelId: string, options?: FollowOptions & { waitSeconds?: number }): AsyncGenerator<Snapshot, void, void>;
  /** By server-sent events. */
  events(modelId: string, options?: FollowOptions): AsyncGenerator<Snapshot, void, void>;
  /** The job's account of the person whose token it is; answered with the job's next checkpoint. */
  account(options?: { signal?: AbortSignal }): Promise<JobAccount>;
  /** Sends a report's bytes once; resolves when they are acknowledged. */
  send(bytes: Uint8Array): Promise<void>;
  /** The same for an anonymous report, without a token. */
  sendAnonymous(bytes: Uint8Array): Promise<void>;
  /** The open windows of a model for anonymous reports, asked for without a token. */
  windows(modelId: string): Promise<{ round: number; windows: TokenWindow[] }>;
  /** The blind signature of a token. */
  /** Throws if there is no token, without which no report is accepted. */
  requireToken(): void;
  grant(request: {
    modelId: string;
    window: string;
    level: number;
    deviceId: string;
    sequence: string;
    /** In Base64. */
    blinded: string;
  }): Promise<Uint8Array>;
}

/**
 * A section that shows a person's account: what was spent on each model, what is left, what it means, and what was refused.
 * Its class is croupier-given; the page styles and places it. words replace the English texts.
 */
export function givenSection(
  account: JobAccount,
  options?: {
    document?: Document;
    words?: {
      title?: string;
      nothing?: string;
      stopped?: string;
      erased?: string;
      all?: string;
      columns?: readonly string[];
      unlimited?: string;
      meaning?: (times: string) => string;
      otherNoise?: string;
      refused?: (modelId: string, reason: string) => string;
    };
  },
): HTMLElement;

/** A sum of what the job has charged; Infinity if it is too large. There are more members, such as rho. */
export interface JobSpend {
  readonly reports: number;
  readonly epsilon: number;
  readonly mu: number;
  [member: string]: number;
}

/** What the job has charged, and what its limits leave. Members about limits are there if there are any. */
export interface JobSpent {
  readonly spent: JobSpend;
  readonly limits?: { readonly [limit: string]: number };
  /** What is left, by limit: reports, epsilon, mu, epsilonAtDelta. */
  readonly left?: { readonly [limit: string]: number };
  /** What limits with a period count. */
  readonly window?: { readonly days: number; readonly totals: JobSpend };
}

/** What the job has charged a person, over all devices and models, and what it refused. */
export interface JobAccount extends JobSpent {
  /** When the job received the request, in milliseconds since 1970. */
  readonly asOfMs: number;
  /** Whether an operator erased the account; its totals stay. */
  readonly erased: boolean;
  /** True if an operator stopped the person: no report is used or charged. */
  readonly stopped: boolean;
  readonly models: readonly (JobSpent & { readonly modelId: string })[];
  readonly devices: readonly { readonly deviceId: string; readonly highestSequence: number }[];
  /** The last reports that were refused, the newest first. */
  readonly refusals: readonly {
    readonly modelId: string;
    readonly deviceId: string;
    readonly sequence: number;
    /** Such as REFUSED_BUDGET. */
    readonly outcome: string;
    readonly reason: string;
    readonly appendedAtMs: number;
  }[];
}

/** What a device does in a round. */
export type Decision =
  | { kind: 'none' | 'gradient' | 'size' }
  | { kind: 'question'; question: Question }
  | { kind: 'statistic'; statistic: Statistic };

/** The most that a person spends from this browser. It isn't stored. */
export interface Limit {
  /** Largest sum of epsilon; Infinity: no limit. */
  epsilon: number;
  /** Largest number of reports; by default no limit. */
  reports?: number;
  /** Share of both, from 0 to 1, up to which questions are answered; by default 1. */
  answers?: number;
}

/** Where a ledger is kept; the browser's by default. */
export interface LedgerOptions {
  /** Distinguishes the people who use this browser; it stays on this device. */
  person: string;
  limit: Limit;
  indexedDB?: IDBFactory;
  /** null: without the Web Locks API. */
  locks?: LockManager | null;
  storage?: StorageManager | null;
  crypto?: RandomSource;
  sleep?: (ms: number) => Promise<void>;
}

/** Which data a report is about. */
export interface ReportedData {
  /** A text of 1 to 256 bytes that names the data, such as their day or version; or the bytes of the data. */
  readonly key?: string | Uint8Array;
  /** How often these data may be reported to a model, by any kind of report; by default once. Infinity: no bound. */
  readonly times?: number;
}

export type KeyedData = ReportedData & Required<Pick<ReportedData, 'key'>>;

/** A charged report that isn't settled yet. */
export interface StoredReport {
  readonly sequence: number;
  readonly modelId: string;
  readonly round: number;
  readonly bytes: Uint8Array;
}

/** The token of one window. */
export interface StoredToken {
  readonly sequence: number;
  readonly stage: 'asked' | 'held' | 'drawn' | 'ended';
  readonly modelId: string;
  readonly window: number;
  readonly firstRound: number;
  readonly lastRound: number;
  /** Place in the model's levels. */
  readonly level: number;
  readonly modulus: Uint8Array;
  /** Of what it is for. */
  readonly digest: Uint8Array;
  /** The secrets of the request, the token, the report, or nothing. */
  readonly content: Uint8Array;
}

/** What one person has spent from this browser, in IndexedDB. */
export class Ledger {
  private constructor();
  static open(options: LedgerOptions): Promise<Ledger>;
  readonly deviceId: string;
  decide(terms: RoundTerms): Decision;
  spent(): Promise<{ reports: number; epsilonNanos: bigint }>;
  hasReported(modelId: string, round: number): Promise<boolean>;
  /** How often data were charged for a model, by reports and tokens, and reported. */
  counts(modelId: string, key: string | Uint8Array): Promise<{ charged: number; reported: number }>;
  pending(): Promise<StoredReport[]>;
  /** Whether the share of the limits for answers admits one more. */
  admitsAnswer(epsilonNanos: bigint): Promise<boolean>;
  /** Charges, draws and stores a report. `draw` makes its bytes without waiting. */
  release(
    terms: RoundTerms,
    epsilonNanos: bigint,
    kind: 'gradient' | 'answer',
    draw: (sequence: number) => Uint8Array,
    data?: KeyedData | null,
  ): Promise<StoredReport>;
  settle(sequence: number): Promise<void>;
  /** Tokens for anonymous reports, until their windows are over. */
  tokens(): Promise<StoredToken[]>;
  /** Charges and stores a token, once for each window of a model. */
  chargeToken(
    token: Omit<StoredToken, 'sequence' | 'stage'>,
    epsilonNanos: bigint,
    limits: ModelLimits,
    data?: KeyedData | null,
  ): Promise<StoredToken>;
  /** Stores the next stage of a token; false if it is in another stage than given. */
  advanceToken(
    token: StoredToken,
    stage: StoredToken['stage'],
    content: Uint8Array,
    data?: KeyedData | null,
  ): Promise<boolean>;
  forgetTokens(modelId: string, round: number): Promise<void>;
  /** In which publication of its window a token is used, from 0. */
  slot(digest: Uint8Array, publications: number): number;
  persist(): Promise<boolean>;
  close(): void;
}

/** A report that was acknowledged. */
export interface Sent {
  readonly sequence: number;
  /** What left the device. */
  readonly bytes: Uint8Array;
  readonly epsilon: number;
}

export interface SentGradient extends Sent {
  readonly kind: 'gradient';
  readonly choice: Choice;
  readonly randomiser: PrivUnit;
}

export interface SentAnswer extends Sent {
  readonly kind: 'answer';
  readonly question: string;
  /** After randomisation. */
  readonly bit: boolean;
}

export interface SentVote extends Sent {
  readonly kind: 'vote';
  readonly statistic: string;
  /** Null if each category is a group. */
  readonly seed: bigint | null;
  /** After randomisation. */
  readonly group: number;
}

/** An anonymous report that was accepted. */
export interface SentAnonymously {
  readonly kind: 'anonymous';
  readonly round: number;
  /** What left the device. */
  readonly bytes: Uint8Array;
  readonly epsilon: number;
}

/** One person's device. */
export class Device {
  private constructor();
  static open(
    options: LedgerOptions & {
      gateway: Gateway;
      /** What each report spends, from 1e-9 to 16. */
      epsilon: number;
      /** How often a report is tried before a call fails; by default 6. */
      attempts?: number;
      /** For a report of an earlier visit that the gateway refuses for ever. */
      onRefused?: (report: StoredReport, error: GatewayError) => void;
      /** How long after the beginning of a release its report is sent; by default 0. */
      releaseDelayMs?: number;
      /** For takePartAnonymously: where reports go, by a Gateway without a token, and how long they wait at most. */
      anonymous?: { collector: Gateway; longestWaitMs: number } | null;
      now?: () => number;
    },
  ): Promise<Device>;
  readonly deviceId: string;
  readonly epsilon: number;
  /** Resolves when the reports of earlier visits are settled. */
  readonly resent: Promise<void>;
  spent(): Promise<{ reports: number; epsilon: string; epsilonNanos: bigint }>;
  /** What the job has charged this person, over all devices, and what it refused. */
  account(): Promise<JobAccount>;
  persist(): Promise<boolean>;
  decide(snapshot: Snapshot): Decision;
  randomiser(dimension: number): PrivUnit;
  /**
   * Does what the round asks for; null if that is nothing. rows: null for a model of statistics alone. The same data are
   * reported once: by default the rows and categories themselves are their key.
   */
  takePart(
    snapshot: Snapshot,
    rows: Rows | null,
    options?: ReportedData & {
      /**
       * The person's category, number or text in each statistic that this program knows, by its name; a value that is none
       * of the categories counts as the last of them, what is no number as the lower end of the range, and what is no text
       * of the alphabet as the empty text.
       */
      readonly categories?: Readonly<Record<string, string | number | null>>;
    },
  ): Promise<SentGradient | SentAnswer | SentVote | null>;
  /** Without a key, reports of the same data aren't counted. */
  report(
    snapshot: Snapshot,
    gradient: ArrayLike<number> & Iterable<number>,
    size?: number,
    data?: ReportedData,
  ): Promise<SentGradient>;
  /**
   * Asks for the token of a window that begins, and sends its report at the publication that the device drew. The same
   * data are reported once, whichever windows that takes.
   */
  takePartAnonymously(snapshot: Snapshot, data: Rows, options?: ReportedData): Promise<SentAnonymously | null>;
  takePartAnonymously(
    snapshot: Snapshot,
    gradient: () => ArrayLike<number> & Iterable<number>,
    options: KeyedData,
  ): Promise<SentAnonymously | null>;
  resend(): Promise<void>;
  close(): void;
}
