import { html, letter } from '#server/platform/mail/letter.ts';
import { plans } from '#shared/rules/plans.ts';
import { type About, dateFormat, greeting, type Mail, nothingLost, reasonOf } from '../billing.emails.ts';

/** Sent after all letters of a release, because the owner may have died. */
export function releasedEmail({ to, plan, baseUrl, endsAt }: About & { endsAt: Date | null }): Mail {
  const { title } = plans[plan];
  const until = endsAt ? html` It is paid until ${dateFormat.format(endsAt)}.` : '';
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`Your messages have been delivered, so your ${title} plan does not renew. Nothing more is charged.${until}`,
      html`Delivered messages are kept for as long as your plan promised.`,
      html`If you read this, sign in and tell us that you are back. Then your plan renews again, and we email you about it.`,
    ],
    action: { label: 'Sign in', url: `${baseUrl}/login` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your ${title} plan does not renew`, ...parts };
}

/** Sent when the owner returns before the plan that a release stopped has ended. */
export function goesOnEmail({ to, plan, baseUrl, endsAt }: About & { endsAt: Date | null }): Mail {
  const { title } = plans[plan];
  const next = endsAt ? html` The next payment is on ${dateFormat.format(endsAt)}.` : '';
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`You are back, so your ${title} plan renews again.${next}`,
      html`If you do not want that, cancel the plan under Account & Billing.`,
    ],
    action: { label: 'See your plan and payments', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your ${title} plan renews again`, ...parts };
}

/** Sent at the end of the period that was paid before a release. */
export function endedAfterReleaseEmail({ to, plan, baseUrl }: About): Mail {
  const { title } = plans[plan];
  const parts = letter({
    greeting: greeting(to),
    paragraphs: [
      html`Your messages have been delivered, and your ${title} plan has ended with the period that was paid. Nothing more is charged. ${nothingLost}`,
    ],
    action: { label: 'See your account', url: `${baseUrl}/account` },
    reason: reasonOf,
    baseUrl,
  });
  return { subject: `Your ${title} plan has ended`, ...parts };
}
