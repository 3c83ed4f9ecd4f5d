import PDFDocument from 'pdfkit';
import { productName } from '#shared/product.ts';
import { type Receipt, receiptLines, sandboxNote } from '../billing.emails.ts';
import { receiptNumber } from '../billing.rules.ts';

const margin = 64;
const labelWidth = 120;

export type ReceiptTask = { receipt: Receipt; paidBy: string };

/** Sets a receipt: one page of A4. */
export async function run({ receipt, paidBy }: ReceiptTask): Promise<Uint8Array> {
  const document = new PDFDocument({
    size: 'A4',
    margin,
    lang: 'en-GB',
    info: { Title: `Receipt ${receiptNumber(receipt.number)}`, Author: productName },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const end = new Promise<void>((resolve, reject) => {
    document.once('end', resolve);
    document.once('error', reject);
  });
  document.font('Times-Roman').fontSize(28).text(productName).moveDown(1.5);
  document
    .fontSize(18)
    .text(`Receipt ${receiptNumber(receipt.number)}`)
    .moveDown();
  document.font('Helvetica').fontSize(11);
  const lines = [...receiptLines(receipt).slice(1), ['Paid by', paidBy] as const];
  for (const [label, value] of lines) {
    const { y } = document;
    document.text(label, margin, y, { width: labelWidth });
    document.text(value, margin + labelWidth, y).moveDown(0.5);
  }
  document.moveDown();
  if (receipt.isSandbox) document.text(sandboxNote, margin).moveDown();
  document.text('Questions? Answer the email that told you of this payment.', margin);
  document.end();
  await end;
  return new Uint8Array(Buffer.concat(chunks));
}
