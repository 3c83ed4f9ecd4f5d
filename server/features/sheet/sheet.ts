import { and, count, eq, isNull, sql } from 'drizzle-orm';
import { type App, operatorAddressOf } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { confirmedContactsOf } from '#server/features/contacts/confirmed-contacts.ts';
import { findFirstWeeks } from '#server/features/first-weeks/first-weeks.rows.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingStream } from '#server/platform/files/incoming.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { type BookStep, isolated } from '#server/platform/pdf/book-steps.ts';
import { hanFormsOf } from '#server/platform/pdf/han-forms.ts';
import { setBook } from '#server/platform/pdf/set-book.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/vault/sheet.ts';
import { productName } from '#shared/product.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type SheetFacts, sheetSections } from './sheet.rules.ts';

/** Sheets that an owner can make in a day. */
export const sheetsPerDayMax = 30;

const tooLarge = 'The sheet could not be set as a PDF, so no file was made.';
const note = 'Some characters cannot be shown here. This text is attached to this file as sheet.txt, complete.';
const headingSize = 14;
const textSize = 11;

/** Makes a sheet to keep with the will, as things stand now. @throws AppError `RATE_LIMITED` or `UNAVAILABLE`. */
export async function getSheet(
  app: App,
  { principal: { userId }, reply }: HttpCall<typeof contract.getSheet>,
): Promise<OutgoingStream> {
  const signal = leftSignal(reply);
  await app.limits.spend(`sheets of owner ${userId}`, { limit: sheetsPerDayMax, windowMs: dayMs });
  const facts = await factsOf(app, userId);
  const at = await app.clock.now();
  const title = `A sheet to keep with the will of ${facts.ownerName}`;
  const input = { title, language: 'en-GB', size: 'A4', contentsPage: null } as const;
  const content = await setBook({ input, steps: stepsOf(title, facts, at), owner: userId, signal, tooLarge });
  return { name: 'Sheet to keep with the will.pdf', mimeType: 'application/pdf', content };
}

async function factsOf(app: App, userId: string): Promise<SheetFacts> {
  const { db, baseUrl, settings } = app;
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound();
  const contacts = (await confirmedContactsOf(app, db, [userId])).get(userId) ?? [];
  const { waitingContacts, ...counts } = await readCounts(db, userId);
  return {
    ownerName: isolated([owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email),
    product: productName,
    baseUrl,
    operatorAddress: operatorAddressOf(app),
    ...counts,
    firstWeeks: {
      isNoted: (await findFirstWeeks(db, userId)) !== null,
      readers: contacts.filter(({ seesFirstWeeks }) => seesFirstWeeks).length,
    },
    contactNames: contacts.map(({ name }) => isolated(name)),
    waitingContacts,
    release: {
      method: owner.releaseMethod,
      inactivityDays: owner.inactivityDays,
      answerDays: owner.releaseAnswerDays ?? settings.releaseGraceDays,
      waitingDays: owner.releaseWaitingDays,
      quorum: owner.releaseQuorum,
    },
  };
}

async function readCounts(executor: Executor, userId: string) {
  const [letters] = await executor
    .select({
      ready: countIf(eq(messages.status, 'ready')),
      drafts: countIf(eq(messages.status, 'draft')),
      delivered: countIf(eq(messages.status, 'delivered')),
    })
    .from(messages)
    .where(eq(messages.userId, userId));
  const [papers] = await executor
    .select({ all: count(), visible: countIf(eq(documents.visibleToTrustedContact, true)) })
    .from(documents)
    .where(eq(documents.userId, userId));
  const isAsked = and(trustedContacts.isActive, eq(trustedContacts.isConfirmed, false));
  const [contacts] = await executor
    .select({ count: count() })
    .from(trustedContacts)
    .where(and(eq(trustedContacts.userId, userId), isAsked, isNull(trustedContacts.declinedAt)));
  return {
    letters: letters ?? { ready: 0, drafts: 0, delivered: 0 },
    documents: papers ?? { all: 0, visible: 0 },
    waitingContacts: contacts?.count ?? 0,
  };
}

function countIf(condition: ReturnType<typeof eq>) {
  return sql`count(*) filter (where ${condition})`.mapWith(Number);
}

async function* stepsOf(title: string, facts: SheetFacts, at: Date): AsyncGenerator<BookStep[]> {
  yield [
    { do: 'begin', title, isPart: false, hanForms: hanFormsOf([facts.ownerName, ...facts.contactNames]) },
    { do: 'quietly', words: `Made with ${productName} on ${longDate(at)}. Later changes are not on it.` },
    ...sheetSections(facts).flatMap(({ title: heading, lines }): BookStep[] => [
      { do: 'space', points: 8 },
      { do: 'write', words: heading, size: headingSize, gapAfter: 4 },
      ...lines.map((words): BookStep => ({ do: 'write', words, size: textSize, gapAfter: 4 })),
    ]),
    { do: 'attachUnlessWhole', name: 'sheet.txt', note },
  ];
}
