import { z } from 'zod';
import { tokenParams } from './fields.ts';
import { defineRoute } from './route.ts';

/* Forms of the pages behind links. Where scripts run, the page makes the call of its contract itself; where they do not, the browser posts the form to the address of the page. */

/** `press` says which button was pressed. What else there is, the call that it stands for checks. */
const form = (...presses: [string, ...string[]]) => z.object({ press: z.enum(presses) });

const common = { method: 'POST', access: 'token', params: tokenParams, urlEncoded: true, ratePerMinute: 30 } as const;

export const pressCheckIn = defineRoute({
  ...common,
  path: '/check-in/:token',
  summary: 'Press "Check in" on the page behind a link, without scripts',
  body: z.object({}),
});

export const pressInvitation = defineRoute({
  ...common,
  path: '/trusted-contact-accept/:token',
  summary: 'Accept or decline the role on the page of an invitation, without scripts',
  body: form('accept', 'decline'),
});

export const pressPortal = defineRoute({
  ...common,
  path: '/trusted-contact-admin/:token',
  summary: 'Answer on the page of a release, without scripts; a confirmation is asked again before it counts',
  body: form('confirm', 'cancel', 'take-back', 'not-asked').extend({
    reason: z.string().default(''),
    typed: z.string().default(''),
  }),
});

export const pressNews = defineRoute({
  ...common,
  path: '/news/:token',
  summary: 'Stop the news or begin them again, without scripts',
  body: form('stop', 'again'),
});
