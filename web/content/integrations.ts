/** Integrations of the product. A status describes this version, not plans. */

export const partnerStatuses = ['Live', 'Coming Soon', 'Planned'] as const;
export type PartnerStatus = (typeof partnerStatuses)[number];
export type Partner = { name: string; status: PartnerStatus; text: string };
export type PartnerGroup = { id: string; title: string; partners: readonly Partner[] };

export const statusMeanings: Record<PartnerStatus, string> = {
  Live: 'It works today, wherever the operator has set it up.',
  'Coming Soon': 'It is being built now.',
  Planned: 'We have decided to build it, and have not begun.',
};

export const partnerGroups: readonly PartnerGroup[] = [
  {
    id: 'reaching-people',
    title: 'Reaching people',
    partners: [
      {
        name: 'Email by SMTP',
        status: 'Live',
        text: 'Any mail server. Every email is kept until the server has accepted it, and tried again until then.',
      },
      { name: 'Twilio', status: 'Live', text: 'Reminders by text, for owners who give a phone number.' },
      {
        name: 'Replies by text',
        status: 'Live',
        text: 'Answering a reminder with YES is a check-in; STOP ends the texts.',
      },
    ],
  },
  {
    id: 'signing-in',
    title: 'Signing in',
    partners: [
      { name: 'Google', status: 'Live', text: 'Sign in with a Google account whose address is verified.' },
      { name: 'Authenticator apps', status: 'Live', text: 'A code from an app as a second step.' },
      { name: 'Passkeys', status: 'Live', text: 'A fingerprint, a face or a security key instead of a password.' },
    ],
  },
  {
    id: 'keeping-things',
    title: 'Keeping things',
    partners: [
      {
        name: 'PostgreSQL',
        status: 'Live',
        text: 'The database. One comes with Everkept; an operator can use their own, from version 15.',
      },
      {
        name: 'S3-compatible storage',
        status: 'Live',
        text: 'Encrypted files in a bucket instead of on a disk. Many providers offer one.',
      },
      { name: 'ClamAV', status: 'Live', text: 'Uploads are scanned for harmful software before they are stored.' },
    ],
  },
  {
    id: 'payment',
    title: 'Payment',
    partners: [
      { name: 'Stripe', status: 'Live', text: 'Paying for a plan by card.' },
      { name: 'PayPal', status: 'Live', text: 'Paying for a plan from a PayPal account.' },
    ],
  },
  {
    id: 'running-it',
    title: 'Running it',
    partners: [
      {
        name: 'OpenAPI',
        status: 'Live',
        text: 'A description of every call, made from the rules that check it. It is at /api/docs.',
      },
      { name: 'Prometheus', status: 'Live', text: 'Figures for an operator to watch.' },
    ],
  },
];
