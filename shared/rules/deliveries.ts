/**
 * `waiting` has a day of its own, which has not come; `pending` waits for the mail server (its notification knows the
 * tries); `accepted` is delivered; `bounced` was refused permanently; `cancelled` never went out because the owner
 * came back; `withdrawn` went out and its link died unopened, for the same reason; `unopened` went out, and its days
 * were over before anybody opened it.
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

/** Who gave the address of a delivery. */
export const addressSources = ['owner', 'contact'] as const;
export type AddressSource = (typeof addressSources)[number];

/**
 * `proposed` needs another contact's yes, or the silence of all of them for a long time; `waiting` is of the only contact there is, and goes when its time is over;
 * `sent` has become a delivery; `refused` was denied by another contact, or taken back; `ended` died with its release,
 * or because its time was over.
 */
export const proposalStatuses = ['proposed', 'waiting', 'sent', 'refused', 'ended'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];
