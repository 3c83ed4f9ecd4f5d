import { drawReceipt, type ReceiptTask } from './receipt-page.ts';

export function run(task: ReceiptTask): Promise<Uint8Array> {
  return drawReceipt(task);
}
