/**
 * `waiting`: its own day has not come. `pending`: waits for the mail server; its notification holds the attempts.
 * `accepted`: delivered. `bounced`: refused permanently. `cancelled`: never sent, because the owner came back.
 * `withdrawn`: sent, but its link was revoked unopened for the same reason. `unopened`: sent, but its link expired
 * before it was opened.
 */
export const deliveryStatuses = [
  'waiting',
  'pending',
  'accepted',
  'bounced',
  'cancelled',
  'withdrawn',
  'unopened',
] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Source of a delivery's address. */
export const addressSources = ['owner', 'contact'] as const;
export type AddressSource = (typeof addressSources)[number];

/**
 * `proposed` needs another contact's yes, or the silence of all of them for a long time; `waiting` is of the only contact there is, and goes when its time is over;
 * `sent` has become a delivery; `refused` was denied by another contact, or taken back; `ended` died with its release,
 * or because its time was over.
 */
export const proposalStatuses = ['proposed', 'waiting', 'sent', 'refused', 'ended'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];
