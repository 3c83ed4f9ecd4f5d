import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bind } from '#server/http/bind.ts';
import {
  completeResetPassword,
  login,
  register,
  resendVerificationByLink,
  resetPassword,
} from '#shared/contract/accounts.ts';
import { sendComplaint } from '#shared/contract/complaints.ts';
import { proveMailbox } from '#shared/contract/mailbox.ts';
import {
  pressComplaint,
  pressEmergency,
  pressMailboxProof,
  pressNewPassword,
  pressNewVerification,
  pressRegister,
  pressResetRequest,
  pressSecondStep,
  pressSignIn,
} from '#shared/contract/page-forms.ts';
import { activateEmergency } from '#shared/contract/release/emergency.ts';
import type { Route } from '#shared/contract/route.ts';
import { finishSecondStep } from '#shared/contract/second-factors.ts';
import { askedQuestion, questionAddress } from '#shared/rules/letters/writing-questions.ts';
import { callWithCookies, type LinkedPages } from './linked-pages.ts';
import { formReferrer, sendPage } from './send-page.ts';

/** Led on by GET, whatever was sent (RFC 9110 §15.4.4). */
const seeOther = 303;
const vault = '/';
/** Page for the second factor after a provider. With scripts, the application takes over there. */
const secondStep = '/login?step=second-factor';

type Press = {
  /** The call of the service that the form stands for. */
  call: { route: Route; payload: unknown };
  /** Page that shows the result. */
  page: string;
  /** Shown again with the form. */
  fields?: Record<string, string>;
  /** Destination of the signed-in person after success. */
  leadTo?: string;
};

/**
 * Forms of pages of the application, for browsers without scripts or before they load. Each makes the application's own
 * call under the same guards, and its answer is a plain page.
 */
export function registerEntryForms(app: FastifyInstance, pages: LinkedPages): void {
  bind(app, pressSignIn, ({ body: { email, password, keepSignedIn = false, question }, request, reply }) => {
    const call = { route: login, payload: { email, password, keepSignedIn } };
    const leadTo = inside(question);
    const fields = { email, question, keep: keepSignedIn ? 'yes' : 'no' };
    return press(pages, { request, reply }, { call, page: '/login', fields, leadTo });
  });
  bind(app, pressSecondStep, ({ body: { question, ...code }, request, reply }) => {
    const call = { route: finishSecondStep, payload: code };
    return press(pages, { request, reply }, { call, page: '/login', fields: { question }, leadTo: inside(question) });
  });
  bind(app, pressRegister, ({ body, request, reply }) => {
    const { password: _, confirmPassword: __, ...fields } = body;
    return press(pages, { request, reply }, { call: { route: register, payload: body }, page: '/register', fields });
  });
  bind(app, pressResetRequest, ({ body: { email }, request, reply }) => {
    const call = { route: resetPassword, payload: { email } };
    return press(pages, { request, reply }, { call, page: '/login', fields: { email } });
  });
  bind(app, pressNewPassword, ({ params: { token }, body, request, reply }) => {
    const call = { route: completeResetPassword, payload: { token, ...body } };
    return press(pages, { request, reply }, { call, page: `/reset-password/${encodeURIComponent(token)}` });
  });
  bind(app, pressNewVerification, ({ body, request, reply }) => {
    const call = { route: resendVerificationByLink, payload: body };
    return press(pages, { request, reply }, { call, page: pressNewVerification.path, fields: body });
  });
  bind(app, pressMailboxProof, ({ params: { token }, request, reply }) => {
    const call = { route: proveMailbox, payload: { token } };
    return press(pages, { request, reply }, { call, page: `/confirm-mailbox/${encodeURIComponent(token)}` });
  });
  bind(app, pressEmergency, ({ body, request, reply }) => {
    const call = { route: activateEmergency, payload: body };
    return press(pages, { request, reply }, { call, page: pressEmergency.path, fields: body });
  });
  bind(app, pressComplaint, ({ body, request, reply }) => {
    const call = { route: sendComplaint, payload: body };
    return press(pages, { request, reply }, { call, page: pressComplaint.path, fields: body });
  });
}

/** Destination inside for this writing question, or for none. */
function inside(question: string): string {
  const asked = askedQuestion(questionSearch(question));
  return asked === null ? vault : questionAddress(asked);
}

function secondStepOf(question = ''): string {
  return askedQuestion(questionSearch(question)) === null ? secondStep : `${secondStep}&${questionSearch(question)}`;
}

function questionSearch(question: string): string {
  return `question=${encodeURIComponent(question)}`;
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

async function press(
  pages: LinkedPages,
  { request, reply }: Exchange,
  { call: { route, payload }, page, fields, leadTo }: Press,
): Promise<FastifyReply> {
  const linked = pages.at(page);
  if (!linked) throw new Error(`There is no page at ${page}.`);
  const { answer, cookies, retryAfter } = await callWithCookies(request, { method: 'POST', url: route.path, payload });
  for (const cookie of cookies) reply.header('set-cookie', cookie);
  if (leadTo && answer.status === 200) return reply.redirect(leadTo, seeOther);
  if (leadTo && answer.status === login.otherStatus) return reply.redirect(secondStepOf(fields?.question), seeOther);
  reply
    .headers({ 'x-robots-tag': 'noindex, nofollow, noarchive', 'referrer-policy': formReferrer, ...retryAfter })
    .code(answer.status);
  const known = { answers: { [`POST ${route.path}`]: answer }, ...(fields ? { fields } : {}) };
  return sendPage(request, reply, await pages.drawn(linked, request, known));
}
