import { openBook } from '#server/platform/pdf/book.ts';
import { isolated } from '#server/platform/pdf/book-steps.ts';
import { productName } from '#shared/product.ts';
import { type Receipt, receiptLines, sandboxNote } from '../billing.emails.ts';
import { receiptNumber } from '../billing.rules.ts';

/** `paidBy`: name and email address. The name is empty if the account has none. */
export type ReceiptTask = { receipt: Receipt; paidBy: { name: string; email: string } };

const payerFile = 'paid-by.txt';
const payerNote = `Some characters cannot be shown here. They are attached to this file as ${payerFile}.`;

/** Sets a receipt: one page of A4, in the faces of the book. */
export async function run({ receipt, paidBy }: ReceiptTask): Promise<Uint8Array> {
  const title = `Receipt ${receiptNumber(receipt.number)}`;
  const book = await openBook({ title, language: 'en-GB', size: 'A4', contentsPage: null });
  book.begin(productName, { isPart: true });
  book.write(title, { size: 18, gapAfter: 18 });
  for (const [label, words] of receiptLines(receipt).slice(1)) book.fact(label, words);
  const payer = [paidBy.name && isolated(paidBy.name), paidBy.email].filter(Boolean).join(', ');
  if (!book.fact('Paid by', payer)) {
    book.attach(payerFile, `${payer}\n`);
    book.quietly(payerNote);
  }
  book.space(18);
  if (receipt.isSandbox) book.write(sandboxNote);
  book.write('Questions? Answer the email that told you of this payment.');
  book.finish();
  return new Uint8Array(Buffer.concat(book.takeBytes()));
}
