import { expect, test } from 'vitest';
import { run } from './receipt.thread.ts';
import { receiptFile, receiptJob } from './receipt.ts';

const receipt = {
  number: 1042,
  paidAt: new Date('2026-06-01T10:00:00Z'),
  plan: 'essential',
  term: 'annual',
  amountPence: 4_990,
  card: { brand: 'visa', last4: '4242' },
  isSandbox: false,
} as const;

/** Receipt of a payer with this name, with the names of its faces and files as plain text. */
async function receiptFor(name: string): Promise<string> {
  return Buffer.from(await run({ receipt, paidBy: { name, email: 'sam@ashworth.example' } })).toString('latin1');
}

test.each([
  ['王小明', 'CactusClassicalSerif'],
  ['محمد', 'NotoNaskhArabic'],
  ['Σωκράτης Łoś', 'DejaVuSerif'],
  ['', 'Newsreader'],
])('a receipt for %j is set in the faces of the book, %s among them', async (name, face) => {
  const pdf = await receiptFor(name);
  expect(pdf).toContain(face);
  expect(pdf).not.toMatch(/Helvetica|Times|paid-by\.txt/);
});

test('a receipt whose payer has a name that no face can show carries the name as a text file', async () => {
  expect(await receiptFor('ᚠᚢᚦ')).toContain('paid-by.txt');
});

test('a receipt that exceeds the limits of its thread is refused with a sentence', async () => {
  const { busyMs } = receiptJob;
  // A name that takes seconds, with a limit below that. A larger one could outgrow the thread's memory in a single step.
  const paidBy = { name: '\u0bb5\u0ba3 '.repeat(100_000), email: 'sam@ashworth.example' };
  const sentence = 'We could not make this receipt in time. Try again in a minute.';
  receiptJob.busyMs = 200;
  try {
    await expect(receiptFile({ receipt, paidBy })).rejects.toMatchObject({ type: 'UNAVAILABLE', message: sentence });
  } finally {
    receiptJob.busyMs = busyMs;
  }
});
