export type CommandOptions = {
  json: boolean;
  /** Those of the command's own flags that were given, without their dashes. */
  flags: ReadonlySet<string>;
  /** What was given with those that take a value. */
  given: ReadonlyMap<string, string>;
};

/** One word of the operator's command. */
export type Command = {
  /** Each form it can be called in, without the leading `everkept`. */
  usage: readonly string[];
  summary: string;
  /** How many words it takes after its own at most; none where it is not said. */
  wordsMax?: number;
  /** What it takes besides --json and --help. */
  flags?: readonly string[];
  /** Those that take a value: `--email ADDRESS`. */
  takes?: readonly string[];
  /** Ends when the work is done. @throws CommandError with a sentence for the operator. */
  run(words: readonly string[], options: CommandOptions): Promise<void>;
};

/** A refusal the operator can mend. Exit code 2 is for words that are off, 1 for anything else. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const;

/**
 * Reads a duration such as `95d`, `12h` or `30m`; returns milliseconds.
 * @throws CommandError when it is none, or is not above zero.
 */
export function readDuration(word: string | undefined): number {
  const match = /^(\d{1,6})([dhm])$/.exec(word ?? '');
  const [, count, unit] = match ?? [];
  const ms = Number(count) * unitMs[(unit ?? 'm') as keyof typeof unitMs];
  if (!match || ms <= 0) throw new CommandError('Give a duration such as 95d, 12h or 30m.', 2);
  return ms;
}
