export type CommandOptions = {
  json: boolean;
  /** Flags of the command that were given, without dashes. */
  flags: ReadonlySet<string>;
  /** Values of the given options. */
  given: ReadonlyMap<string, string>;
};

/** One word of the operator's command. */
export type Command = {
  /** Each form it can be called in, without the leading `everkept`. */
  usage: readonly string[];
  summary: string;
  /** Largest number of words after the command's own. Zero by default. */
  wordsMax?: number;
  /** Flags in addition to --json and --help. */
  flags?: readonly string[];
  /** Options with a value: `--email ADDRESS`. */
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
