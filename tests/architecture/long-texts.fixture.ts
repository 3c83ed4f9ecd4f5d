/** Beginnings and ends around a long row, so that a pattern has to try again. */
const around = [
  ['', ''],
  ['A', '1'],
  ['@', '\u0000.'],
] as const;
const textLength = 200_000;
const parts = [' ', 'a', '\n', 'a@', '(', '.', '[', '-', '0', 'a.', ' \n', 'http://', '<', '"'];

type Input = { path: string };

/** Calls each exported function of a module with long texts, as its first and second argument. */
export async function run({ path }: Input): Promise<string[]> {
  const functions = Object.entries((await import(path)) as object).filter(([, value]) => typeof value === 'function');
  for (const [, rule] of functions)
    for (const part of parts)
      for (const [before, after] of around) {
        const text = before + part.repeat(textLength / part.length) + after;
        // Functions with other arguments may fail; only the time matters here.
        for (const given of [
          [text, text],
          [{}, text],
          [[text], text],
          ['a', text],
        ])
          await answerOf(rule, given);
      }
  return functions.map(([name]) => name);
}

async function answerOf(rule: (...given: unknown[]) => unknown, given: unknown[]): Promise<void> {
  try {
    await rule(...given);
  } catch {
    // A refusal is an answer too.
  }
}
