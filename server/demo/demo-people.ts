import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { App } from '#server/app.ts';
import { verifyByOperator } from '#server/features/administered-accounts/accounts-admin.ts';
import { listOutbox } from '#server/features/outbox/outbox.ts';
import type { TaskRunner } from '#server/platform/tasks/task-runner.ts';
import type { FirstWeeksNotes } from '#shared/rules/first-weeks/notes.ts';
import { type BillingCycle, type PaidPlanName, payablePence, poundsOf } from '#shared/rules/prices.ts';

/** Public password, for an installation that no stranger can reach. */
export const demoPassword = 'seven red kettles on a shelf';

type Reader = { name: string; relation: string; email: string };
export type Letter = { title: string; content: string; status?: 'draft' | 'ready' } & (
  | { recipientEmail: string }
  | { recipients: Reader[] }
);
export type DemoFile = { fileName: string; content: Buffer | string };
/** Caption of a picture or a recording, and the paragraph before it. */
export type Said = { caption: string; afterParagraph?: number; transcript?: string };
export type DemoPerson = { email: string; userId: string; cookie: string };

type DemoContact = { name: string; email: string; relationship: string; seesFirstWeeks?: boolean };

/** Acts of the people in the demonstration, through the same routes as a browser. */
export type DemoPeople = {
  /** Registers, verifies and shows that they read their mail (unless told not to), and signs in. */
  join(person: { firstName: string; lastName: string; isVerified?: boolean }): Promise<DemoPerson>;
  /** Signs in again, which is a sign of life. */
  signIn(email: string): Promise<DemoPerson>;
  /** Buys a plan in the practice checkout, with the card that pays. */
  buy(by: DemoPerson, plan: PaidPlanName, billingCycle: BillingCycle): Promise<void>;
  /** With a file beside it, where there is one. Gives its id. */
  write(by: DemoPerson, letter: Letter, attached?: DemoFile): Promise<string>;
  /** Puts a picture or a recording into a letter. */
  enclose(by: DemoPerson, messageId: string, enclosed: DemoFile & Said): Promise<void>;
  keep(by: DemoPerson, document: { name: string; category: string; file: DemoFile }): Promise<void>;
  choose(by: DemoPerson, settings: object): Promise<void>;
  /** Notes plain facts for the first weeks. */
  note(by: DemoPerson, notes: Partial<FirstWeeksNotes>): Promise<void>;
  /** Names a contact, who gives the stated answer or none yet. */
  name(by: DemoPerson, contact: DemoContact, answer?: boolean): Promise<void>;
  /** A contact's answer to the question whether it is time. */
  decide(contactEmail: string, confirmed: boolean, reason: string): Promise<void>;
  open(recipientEmail: string): Promise<void>;
  /** Fills in the emergency form for an owner, in the name of their contact. */
  askEarly(owner: DemoPerson, contact: { name: string; email: string }, reason: string): Promise<void>;
  /** Says until when they are on a journey, as `YYYY-MM-DD`. */
  goAway(by: DemoPerson, until: string): Promise<void>;
};

/** A slow machine may refuse a request for a moment: with the usual wait of 5 seconds, the demonstration goes on for 5 minutes. */
const busyTriesMax = 60;
const busyWaitSeconds = 5;

type Asked = { method: 'GET' | 'POST' | 'PUT'; url: string; cookie?: string; body?: object | FormData };

export function createDemoPeople(
  installation: App,
  app: FastifyInstance,
  rounds: Pick<TaskRunner, 'tick'>,
): DemoPeople {
  let addresses = 0;

  async function ask({ method, url, cookie, body }: Asked) {
    const form = body instanceof FormData ? new Response(body) : null;
    // Each request from another address, or the limits that keep strangers out would keep these people out too.
    addresses += 1;
    const request: InjectOptions = {
      method,
      url,
      remoteAddress: `198.18.${addresses >> 8}.${addresses & 255}`,
      headers: {
        'sec-fetch-site': 'same-origin',
        'user-agent': 'Demonstration',
        ...(cookie ? { cookie } : {}),
        ...(body ? { 'content-type': form?.headers.get('content-type') ?? 'application/json' } : {}),
      },
      ...(body ? { payload: form ? Buffer.from(await form.arrayBuffer()) : JSON.stringify(body) } : {}),
    };
    let answer = await app.inject(request);
    for (let tries = 1; answer.statusCode === 503 && tries < busyTriesMax; tries += 1) {
      await setTimeout(secondsToWait(answer.headers['retry-after']) * 1_000);
      answer = await app.inject(request);
    }
    if (answer.statusCode >= 400) throw new Error(`${method} ${url} was answered ${answer.statusCode}: ${answer.body}`);
    return answer;
  }

  /** The end of the newest link of this kind that was mailed to an address. */
  async function tokenFor(address: string, path: string): Promise<string> {
    await rounds.tick();
    for (let page = 1; ; page += 1) {
      const { entries, hasOlder } = await listOutbox(installation, page);
      const links = entries.filter(({ to }) => to.address === address).flatMap((entry) => entry.links);
      const found = links.find((link) => new URL(link).pathname.startsWith(path));
      if (found) return new URL(found).pathname.split('/').at(-1) ?? '';
      if (!hasOlder) throw new Error(`No mail to ${address} holds a link to ${path}.`);
    }
  }

  async function signIn(email: string): Promise<DemoPerson> {
    const answer = await ask({ method: 'POST', url: '/api/login', body: { email, password: demoPassword } });
    const { user } = answer.json<{ user: { id: string } }>();
    const cookie = [answer.headers['set-cookie']].flat()[0]?.split(';')[0] ?? '';
    return { email, userId: user.id, cookie };
  }

  return {
    async join({ firstName, lastName, isVerified = true }) {
      const email = `${firstName}@demo.example`.toLowerCase();
      const body = { email, firstName, lastName, password: demoPassword, confirmPassword: demoPassword };
      await ask({ method: 'POST', url: '/api/register', body });
      if (!isVerified) return signIn(email);
      await verifyByOperator(installation, email);
      const person = await signIn(email);
      const { cookie } = person;
      await ask({ method: 'POST', url: '/api/user/mailbox-proof', cookie });
      const token = await tokenFor(email, '/confirm-mailbox/');
      await ask({ method: 'POST', url: '/api/user/mailbox-proof/confirm', cookie, body: { token } });
      return person;
    },

    signIn,

    async buy({ cookie }, plan, billingCycle) {
      const finalPrice = poundsOf(payablePence(plan, billingCycle, null));
      const body = { plan, billingCycle, finalPrice };
      const answer = await ask({ method: 'POST', url: '/api/subscriptions/create', cookie, body });
      const checkout = answer.json<{ paymentUrl: string }>().paymentUrl.split('/').at(-1);
      await ask({ method: 'POST', url: '/api/payments/process', cookie, body: { checkout, card: 'pays' } });
    },

    async write({ cookie }, letter, attached) {
      const url = attached ? '/api/messages/with-attachment' : '/api/messages';
      const words = { status: 'ready', ...letter };
      const body = attached ? formOf(words, attached) : words;
      return (await ask({ method: 'POST', url, cookie, body })).json<{ id: string }>().id;
    },

    async enclose({ cookie }, messageId, { caption, afterParagraph, transcript, ...file }) {
      const url = `/api/messages/${messageId}/enclosures`;
      const { id } = (await ask({ method: 'POST', url, cookie, body: formOf({ caption }, file) })).json<{
        id: string;
      }>();
      await ask({ method: 'PUT', url: `${url}/${id}`, cookie, body: { afterParagraph, transcript } });
    },

    async keep({ cookie }, { name, category, file }) {
      const body = formOf({ name, category, visibleToTrustedContact: 'true' }, file);
      await ask({ method: 'POST', url: '/api/documents', cookie, body });
    },

    async choose({ cookie }, settings) {
      await ask({ method: 'PUT', url: '/api/user/release-settings', cookie, body: settings });
    },

    async note({ cookie }, notes) {
      await ask({ method: 'PUT', url: '/api/first-weeks', cookie, body: notes });
    },

    async name({ cookie }, contact, answer) {
      await ask({ method: 'POST', url: '/api/trusted-contacts', cookie, body: contact });
      if (answer === undefined) return;
      const token = await tokenFor(contact.email, '/trusted-contact-accept/');
      await ask({ method: 'POST', url: `/api/trusted-contact-invitation/${token}`, body: { accept: answer } });
    },

    async decide(contactEmail, confirmed, reason) {
      const token = await tokenFor(contactEmail, '/trusted-contact-admin/');
      await ask({
        method: 'POST',
        url: `/api/trusted-contact-admin/${token}/confirm-release`,
        body: { confirmed, reason },
      });
      await rounds.tick();
    },

    async askEarly({ email: userEmail }, { name: contactName, email: contactEmail }, reason) {
      await ask({
        method: 'POST',
        url: '/api/emergency-activate',
        body: { userEmail, contactName, contactEmail, reason },
      });
    },

    async goAway({ cookie }, until) {
      await ask({ method: 'PUT', url: '/api/release/away', cookie, body: { until } });
    },

    async open(recipientEmail) {
      const token = await tokenFor(recipientEmail, '/message/');
      await ask({ method: 'POST', url: `/api/message-delivery/${token}/opened` });
    },
  };
}

function secondsToWait(retryAfter: unknown): number {
  return typeof retryAfter === 'string' ? Number(retryAfter) : busyWaitSeconds;
}

/** Values other than text go as JSON, as a browser sends them. */
function formOf(fields: object, { fileName, content }: DemoFile): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  form.append('file', new File([content as BlobPart], fileName));
  return form;
}
