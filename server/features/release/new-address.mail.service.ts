import type { Executor } from '#server/platform/db/database.ts';
import { insertCheckInLinks } from './checkin-links.repository.ts';
import { newCheckInLink } from './checkin-links.service.ts';
import { agreeWithAddressEmail, ownerNewAddressEmail } from './new-address.emails.ts';
import { countedContacts } from './new-address.rules.ts';
import type { AddressScene } from './new-address-scene.service.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';

type Asked = Proposed & { sendsAt: Date | null; number: number };
type Told = Proposed & { sendsAt: Date | null; stage: 'proposed' | 'waiting' | 'sent' };
type Proposed = { proposalId: string /** The contact whose proposal it is. */; byId: string };

/** The mail that asks another contact whether an address is right. */
export const agreeing = { kind: 'release.new-address' } as const;

export type NewAddressMail = ReturnType<typeof createNewAddressMail>;

/** Writes the mails about another address, each in the transaction of its cause. They die with the release. */
export function createNewAddressMail({
  notifications,
  deliveries,
  baseUrl,
}: Pick<ReleaseDependencies, 'notifications' | 'deliveries' | 'baseUrl'>) {
  return {
    /** Every other contact whose word counts is asked; any one of them can agree. `number` counts from 0 and tells each from those before. */
    async askOthers(tx: Executor, scene: AddressScene, { proposalId, byId, sendsAt, number }: Asked): Promise<void> {
      const { at, owner, cycle, contacts, facts } = scene;
      const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
      const counted = countedContacts(facts, at.getTime()).map(({ id }) => id);
      for (const contact of contacts.filter(({ id }) => id !== byId && counted.includes(id))) {
        const url = await deliveries.newAddressUrl(tx, { cycleId: cycle.id, contactId: contact.id }, at);
        const names = { contactName: contact.name, ownerName, ownerFirstName: owner.firstName || ownerName };
        await notifications.enqueue(tx, {
          channel: 'email',
          kind: agreeing.kind,
          userId: owner.id,
          subjectId: cycle.id,
          dedupeKey: ['new-address', proposalId, contact.id, ...(number > 0 ? [number] : [])].join(':'),
          policy: 'patient',
          at,
          to: { address: contact.email, name: contact.name },
          mail: agreeWithAddressEmail({ ...names, baseUrl }, { byName: firstNameOf(scene, byId), url, sendsAt }),
        });
      }
    },

    /** Should the owner live, they hear of it before anything is read there. */
    async tellOwner(tx: Executor, scene: AddressScene, { proposalId, byId, stage, sendsAt }: Told): Promise<void> {
      const { at, owner, cycle } = scene;
      const link = newCheckInLink({ userId: owner.id, at, baseUrl });
      await insertCheckInLinks(tx, [link.row]);
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: 'release.owner-new-address',
        userId: owner.id,
        subjectId: cycle.id,
        dedupeKey: `owner-new-address:${proposalId}:${stage}`,
        at,
        to: { address: owner.email },
        mail: ownerNewAddressEmail({
          firstName: owner.firstName || null,
          baseUrl,
          byName: firstNameOf(scene, byId),
          checkInUrl: link.url,
          sendsAt,
          canBeAgreed: stage === 'proposed',
          isSent: stage === 'sent',
        }),
      });
    },
  };
}

function firstNameOf({ contacts }: AddressScene, contactId: string): string {
  const name = contacts.find(({ id }) => id === contactId)?.name ?? 'One of your contacts';
  return name.trim().split(/\s+/)[0] ?? name;
}
