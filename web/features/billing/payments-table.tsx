import { getReceipt, type Payment } from '#shared/contract/billing.ts';
import { Card } from '#web/components/ui/card.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { isoDay, money, shortDate } from '#web/lib/format.ts';
import { paymentStatusWords } from './billing-words.ts';
import { termTitle } from './choice.ts';

/** Every payment so far with its receipt. */
export function PaymentsTable({ payments }: { payments: readonly Payment[] }) {
  if (payments.length === 0) return null;
  return (
    <Card as="section" aria-labelledby="payments">
      <h2 className="h-card" id="payments">
        Payments
      </h2>
      <table className="list payments">
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">For</th>
            <th scope="col">Amount</th>
            <th scope="col">State</th>
            <th scope="col">Receipt</th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => (
            <tr key={payment.id}>
              <td>
                <time dateTime={isoDay(payment.paidAt)}>{shortDate(payment.paidAt)}</time>
              </td>
              <td>{termTitle(payment.plan, payment.term)}</td>
              <td>{money(payment.amountPence)}</td>
              <td>{paymentStatusWords(payment)}</td>
              <td>
                <a href={addressOf(getReceipt, { params: { id: payment.id } })} download>
                  {payment.number}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
