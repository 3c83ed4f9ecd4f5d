import { randomUUID } from 'node:crypto';
import { createPayPalTill } from '#tests/support/tills/paypal-till.ts';
import { createStripeTill } from '#tests/support/tills/stripe-till.ts';
import type { Till } from '#tests/support/tills/till.ts';
import { type Figure, ms } from './figure.ts';
import { startSite } from './site.ts';

const perSecond = 50;
const warmUpSeconds = 2;
const goalMs = 100;

/** Cost of receiving webhooks: distinct signed events at a steady rate, however slow the answers are. */
export async function webhookFigures({ isSmall }: { isSmall: boolean }): Promise<Figure[]> {
  const measuredSeconds = isSmall ? 1 : 10;
  return [
    ...(await measure(measuredSeconds, await createStripeTill(), ({ url, secret }) => ({
      STRIPE_SECRET_KEY: 'sk_test_ours',
      STRIPE_WEBHOOK_SECRET: secret,
      STRIPE_API_BASE: url,
    }))),
    ...(await measure(measuredSeconds, await createPayPalTill(), ({ url, secret }) => ({
      PAYPAL_CLIENT_ID: 'ours',
      PAYPAL_CLIENT_SECRET: 'ours',
      PAYPAL_WEBHOOK_ID: secret,
      PAYPAL_API_BASE: url,
    }))),
  ];
}

type Address = { url: string; secret: string };

async function measure(
  measuredSeconds: number,
  till: Till,
  settingsOf: (address: Address) => Record<string, string>,
): Promise<Figure[]> {
  const site = await startSite(settingsOf(till));
  try {
    await send(till, site.url, warmUpSeconds);
    const answers = await send(till, site.url, measuredSeconds);
    const sorted = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    const refused = answers.filter(({ ok }) => !ok).length;
    const what = `webhook of ${till.name}, ${perSecond} a second`;
    return [
      { what: `${what}, p50`, figure: ms(at(0.5)) },
      { what: `${what}, p99`, figure: ms(at(0.99)), goal: `< ${goalMs} ms`, met: at(0.99) < goalMs },
      { what: '  answers that were no success', figure: String(refused), goal: '0', met: refused === 0 },
    ];
  } finally {
    await site.stop();
    await till.close();
  }
}

/** Each goes out at its own moment, and its time counts from then: a stall is felt by all that were due in it. */
async function send(till: Till, url: string, seconds: number): Promise<{ tookMs: number; ok: boolean }[]> {
  const count = perSecond * seconds;
  const beginsAt = performance.now() + 100;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const dueAt = beginsAt + (index * 1_000) / perSecond;
      await new Promise((resolve) => setTimeout(resolve, dueAt - performance.now()));
      const { body, headers } = till.sign(till.sample(randomUUID()));
      const answer = await fetch(`${url}/api/webhooks/${till.name}`, { method: 'POST', headers, body });
      await answer.text();
      return { tookMs: performance.now() - dueAt, ok: answer.ok };
    }),
  );
}
