import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { processPayment } from '#shared/contract/billing.ts';
import { answerInvitation } from '#shared/contract/contacts.ts';
import { renewDelivery, sayOfReader } from '#shared/contract/letters/delivery.ts';
import { setNewsChoice } from '#shared/contract/news.ts';
import { sayNotMe } from '#shared/contract/not-me.ts';
import {
  pressCheckIn,
  pressCheckout,
  pressInvitation,
  pressLinkIdentity,
  pressNewAddress,
  pressNewLink,
  pressNews,
  pressNotMe,
  pressPortal,
  pressRemoveContact,
  pressSay,
  pressUnlinkIdentity,
} from '#shared/contract/page-forms.ts';
import { removeAsker } from '#shared/contract/release/asker-removal.ts';
import { answerNewAddress, proposeNewAddress } from '#shared/contract/release/new-address.ts';
import {
  confirmRelease,
  giveOwnerAddress,
  sayAlive,
  sayNotAsked,
  sendDeclined,
  takeBackConfirmation,
} from '#shared/contract/release/portal.ts';
import { checkInByLink } from '#shared/contract/release/release.ts';
import type { Route, RouteBody } from '#shared/contract/route.ts';
import { linkIdentity, unlinkIdentity } from '#shared/contract/sign-in/ways-in.ts';
import { isWordToSend } from '#shared/rules/release-answers.ts';
import { callAs, type LinkedPages } from './linked-pages.ts';
import { sendPage } from './send-page.ts';

/** Led on by GET, whatever was sent (RFC 9110 §15.4.4). */
const seeOther = 303;
const acceptedPage = '/trusted-contact-confirmed';

/** A form as it came: which call of the service it stands for, and where its sender goes on. */
type Press = {
  /** Null where the page asks once more before anything is called. */
  call: { route: Route; payload?: unknown } | null;
  /** Fields to show again if the form was refused. */
  fields?: Record<string, string>;
  /** Next page after a press; null if this page shows the result, because its link has served its purpose. */
  leadTo: ((answer: unknown) => string) | null;
};

/**
 * Forms of linked pages, for browsers without scripts or before they load. Each makes the page's own call, under the
 * same guards.
 */
export function registerPageForms(app: FastifyInstance, pages: LinkedPages): void {
  on(app, pages, pressCheckIn, () => ({ call: { route: checkInByLink }, leadTo: null }));
  on(app, pages, pressLinkIdentity, () => ({ call: { route: linkIdentity }, leadTo: null }));
  on(app, pages, pressUnlinkIdentity, () => ({ call: { route: unlinkIdentity }, leadTo: null }));
  on(app, pages, pressRemoveContact, () => ({ call: { route: removeAsker }, leadTo: null }));
  on(app, pages, pressNewLink, () => ({ call: { route: renewDelivery }, leadTo: null }));
  on(app, pages, pressSay, ({ press }, page) => ({
    call: { route: sayOfReader, payload: { say: press } },
    leadTo: () => `${page.slice(0, page.lastIndexOf('/'))}#say`,
  }));
  on(app, pages, pressNotMe, () => ({ call: { route: sayNotMe }, leadTo: null }));
  on(app, pages, pressCheckout, ({ card }, page) => ({
    call: { route: processPayment, payload: { checkout: page.split('/').at(-1), card } },
    fields: { card },
    leadTo: null,
  }));
  on(app, pages, pressNews, ({ press }, page) => ({
    call: { route: setNewsChoice, payload: { wantsNews: press === 'again' } },
    leadTo: () => page,
  }));
  on(app, pages, pressInvitation, ({ press }, page) => ({
    call: { route: answerInvitation, payload: { accept: press === 'accept' } },
    leadTo: (answer) => (press === 'accept' ? confirmedPage(answer) : page),
  }));
  on(app, pages, pressNewAddress, (body, page) => ({
    call: newAddressCall(body),
    fields: body,
    leadTo: () => page,
  }));
  on(app, pages, pressPortal, ({ press, reason, typed, address, readerId }, page) => ({
    call: portalCall({ press, reason, typed, address, readerId }),
    fields: { press, reason, address },
    leadTo: () => page,
  }));
}

function newAddressCall({ press, ...given }: RouteBody<typeof pressNewAddress>): Press['call'] {
  if (press === 'look' || press === 'agree') return null;
  if (press === 'propose' || press === 'again') return { route: proposeNewAddress, payload: given };
  const { letterId, address } = given;
  return { route: answerNewAddress, payload: { letterId, address, agrees: press === 'send' } };
}

function portalCall({ press, reason, typed, address, readerId }: RouteBody<typeof pressPortal>): Press['call'] {
  if (press === 'take-back') return { route: takeBackConfirmation };
  if (press === 'not-asked') return { route: sayNotAsked };
  if (press === 'owner-address') return { route: giveOwnerAddress, payload: { address } };
  if (press === 'letters') return { route: sendDeclined, payload: { readerId } };
  if (press === 'alive') return { route: sayAlive, payload: { reason: reason.trim() } };
  if (press === 'confirm' && !isWordToSend(typed)) return null;
  return { route: confirmRelease, payload: { confirmed: press === 'confirm', reason: reason.trim() } };
}

/** The address carries what the specification names. */
function confirmedPage(answer: unknown): string {
  const { contactId, name } = answer as { contactId: string; name: string };
  return `${acceptedPage}?${new URLSearchParams({ contactId, name })}`;
}

type FormRoute =
  | typeof pressRemoveContact
  | typeof pressCheckIn
  | typeof pressCheckout
  | typeof pressNewAddress
  | typeof pressNewLink
  | typeof pressNews
  | typeof pressNotMe
  | typeof pressSay
  | typeof pressInvitation
  | typeof pressPortal
  | typeof pressLinkIdentity
  | typeof pressUnlinkIdentity;

function on<R extends FormRoute>(
  app: FastifyInstance,
  pages: LinkedPages,
  route: R,
  read: (body: RouteBody<R>, page: string) => Press,
): void {
  bind(app, route as FormRoute, async ({ params, body, request, reply }) => {
    const page = route.path.replace(':token', encodeURIComponent(params.token));
    const { call, fields, leadTo } = read(body as RouteBody<R>, page);
    const linked = pages.at(page);
    if (!linked) throw new Error(`There is no page at ${route.path}.`);
    reply.header('x-robots-tag', 'noindex, nofollow, noarchive');
    // As in a browser that runs scripts: what the page shows was read before the button was pressed, which may end the link.
    const sent = (await pages.reads(linked, request)) ?? { answers: {} };
    const pressed = call && (await pressAs(request, call, params.token));
    if (pressed && leadTo && pressed.answer.status < 400) return reply.redirect(leadTo(pressed.answer.body), seeOther);
    const answers = { ...sent.answers, ...(pressed ? { [pressed.key]: pressed.answer } : {}) };
    reply.headers(pressed?.retryAfter ?? {}).code(pressed?.answer.status ?? 200);
    return sendPage(request, reply, await pages.drawn(linked, request, { answers, ...(fields ? { fields } : {}) }));
  });
}

async function pressAs(
  request: FastifyRequest,
  { route, payload }: NonNullable<Press['call']>,
  token: string,
): Promise<Awaited<ReturnType<typeof callAs>> & { key: string }> {
  const url = route.path.replace(':token', encodeURIComponent(token));
  return { key: `POST ${url}`, ...(await callAs(request, { method: 'POST', url, payload })) };
}
