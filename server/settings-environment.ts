import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { fieldNames, secretFields } from './settings-fields.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const suffix = '_FILE';

/** `.env` in the working directory, or nothing. @throws a sentence where it cannot be read. */
export function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new TypeError(`The file ${path} cannot be read. Give this user the right to read it, or remove it.`);
  }
}

/** An empty value counts as none. */
export function readValue(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || undefined;
}

/** The environment with every secret that lies in a file (`NAME_FILE`) read from it. */
export function withSecretFiles(environment: Environment): { environment: Environment; problems: string[] } {
  const problems: string[] = [];
  const read = Object.keys(environment).flatMap((fileName) => {
    const name = fileName.slice(0, -suffix.length);
    const path = isSecretFile(fileName) ? readValue(environment, fileName) : undefined;
    if (path === undefined) return [];
    if (readValue(environment, name) !== undefined) {
      problems.push(`${name} and ${fileName} are both set: keep one, so that there is no doubt which is used.`);
      return [];
    }
    const text = contentOf(path);
    if (text === null) problems.push(`${fileName} names a file that cannot be read.`);
    else if (text === '') problems.push(`${fileName} names a file that is empty.`);
    return text ? [[name, text] as const] : [];
  });
  return { environment: { ...environment, ...Object.fromEntries(read) }, problems };
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // The path is a folder, a file of another user, or missing. The operator must check it in each case.
    return null;
  }
}

/** `MASTER_KEY_FILE` is a setting of its own: the file is read again and again, as keys are added to it. */
function isSecretFile(name: string): boolean {
  return name.endsWith(suffix) && secretFields.has(name.slice(0, -suffix.length)) && name !== 'MASTER_KEY_FILE';
}

/** Beginnings that are ours. What else a platform sets, such as `LOG_FORMAT` or `HOSTNAME`, is none of our business. */
const ours = new Set(
  fieldNames
    .filter((name) => !/^(?:BASE|DATA|HOST|LOG|MAIL|OTEL|PORT|RELEASE|ROLE|STORE|TEST)(?:_|$)/.test(name))
    .map((name) => name.split('_')[0]),
);
/** Two letters that changed places, or one that is missing, too much or wrong, and a bit more. */
const slipsMax = 2;
const nameLengthMin = 6;

/** Returns a sentence for each variable that begins or looks like a setting of ours, and is not one. */
export function strangers(environment: Environment): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (readValue(environment, name) === undefined || isKnown(name)) return [];
    const meant = nearest(name);
    const begins = name.includes('_') && ours.has(name.split('_')[0] ?? '');
    if (meant === null && !begins) return [];
    const question = meant === null ? 'Remove it, or look for its name in .env.example.' : `Did you mean ${meant}?`;
    return [`${name} is not a setting of Everkept, and has no effect. ${question}`];
  });
}

function isKnown(name: string): boolean {
  return (fieldNames as readonly string[]).includes(name) || isSecretFile(name);
}

function nearest(name: string): string | null {
  if (name.length < nameLengthMin) return null;
  const candidates = [...fieldNames, ...[...secretFields].map((field) => field + suffix)];
  const [best] = candidates
    .map((candidate) => ({ candidate, slips: distance(name, candidate) }))
    .filter(({ slips }) => slips <= slipsMax)
    .toSorted((one, other) => one.slips - other.slips);
  return best?.candidate ?? null;
}

/** Number of letters to insert, delete or replace to turn one word into the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, their] of [...other].entries()) {
      const changed = (row[j] ?? 0) + (letter === their ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
