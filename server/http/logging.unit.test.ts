import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { loggerOptions } from './logging.ts';

function logged(error: unknown): string {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  pino(loggerOptions({ level: 'info' }), destination).warn(
    { err: error, password: 'twelve lemons' },
    'something failed',
  );
  return lines.join('');
}

describe('the log', () => {
  it('keeps what PostgreSQL repeats of an input to itself', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "dear Nell"'), { severity: 'ERROR' });
    const text = logged(error);
    expect(text).toContain('invalid input syntax for type uuid');
    expect(text).not.toContain('dear Nell');
  });

  it('says the SQL of a failed query and not the values', () => {
    const error = Object.assign(new Error('Failed query: select $1 params: dear Nell'), { query: 'select $1' });
    expect(logged(error)).not.toContain('dear Nell');
  });

  it('keeps typed text with line breaks and terminal colours in one line, as characters', () => {
    const text = logged(new Error('a\r\n{"level":60,"msg":"invented"}\u001b[31m'));
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    for (const character of ['\r', '\u001b']) expect(text).not.toContain(character);
    expect(JSON.parse(text)).toMatchObject({ level: 40, msg: 'something failed' });
  });

  it('names a thrown value that is no error, by its words and its code', () => {
    const emitted = {
      name: 'LibraryError',
      message: 'relation "dear Nell" is away',
      code: '42P01',
      queue: 'q',
      values: ['Nell'],
    };
    expect(JSON.parse(logged(emitted)).err).toEqual({
      type: 'LibraryError',
      message: 'Not an error: relation "…" is away',
      stack: '',
      code: '42P01',
    });
    expect(JSON.parse(logged('dear Nell')).err.message).toBe('A string was thrown, which is no error.');
  });

  it('removes fields that are named like secrets', () => {
    expect(logged(new Error('plain'))).not.toContain('twelve lemons');
  });
});
