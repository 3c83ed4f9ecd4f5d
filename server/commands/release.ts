import type { App } from '#server/app.ts';
import { retryRefused } from '#server/features/redelivery/new-address-retry.ts';
import {
  type FreezeResult,
  type Freezes,
  freezeOwner,
  listFreezes,
  resumeOwner,
  resumeReleases,
} from '#server/features/release/release-freeze.ts';
import { freezeReleases } from '#server/features/release-health/health.ts';
import { releaseOfAccount, releasesUnderWay } from '#server/features/releases-under-way/under-way.ts';
import { waitWords } from '#server/features/releases-under-way/under-way.words.ts';
import { clockAheadUntil } from '#server/features/service-health/clock-watch.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';
import { nextStep, restoredLines } from './restored.ts';

type Verb = 'show' | 'freeze' | 'resume' | 'retry';

const wrongWords =
  'Use release show, release show EMAIL, release freeze EMAIL, release freeze --all, release resume EMAIL, release resume or release retry EMAIL.';

export const releaseCommand: Command = {
  usage: [
    'release show [EMAIL] [--json]',
    'release freeze EMAIL | --all [--json]',
    'release resume [EMAIL | --all] [--json]',
    'release retry EMAIL [--agree] [--json]',
  ],
  wordsMax: 2,
  summary:
    'Freezes and resumes releases, of one owner or of all, and retries refused letters. It never releases anything, and never shortens a wait.',
  flags: ['all', 'agree'],
  async run([verb, email, ...rest], { json, flags }) {
    const isForAll = flags.has('all');
    if (!isVerb(verb)) throw new CommandError(wrongWords, 2);
    const isForOne = email !== undefined;
    const agrees = flags.has('agree');
    if (rest.length > 0 || (isForOne && isForAll)) throw new CommandError(wrongWords, 2);
    if ((verb === 'retry' && (!isForOne || isForAll)) || (agrees && verb !== 'retry')) {
      throw new CommandError(wrongWords, 2);
    }
    // A freeze of all owners needs a flag of its own. The command that resumes all is the one that messages name.
    if (verb === 'freeze' && !isForOne && !isForAll) throw new CommandError(wrongWords, 2);

    const installation = await openInstallation(loadSettings());
    try {
      if (verb === 'retry') await retry(installation, { email: email ?? '', agrees }, json);
      else if (verb === 'show' && isForOne) await showOne(installation, email, json);
      else await act(installation, { verb, email }, json);
    } finally {
      await installation.close();
    }
  },
};

const verbs: readonly string[] = ['show', 'freeze', 'resume', 'retry'] satisfies Verb[];

function isVerb(word: string | undefined): word is Verb {
  return word !== undefined && verbs.includes(word);
}

const notRetried = {
  unknown: 'No account has this address.',
  nothing_open: 'No release of this owner is in progress.',
  stopped: 'This release is stopped, so nothing is sent now. See release show, and try again when it continues.',
};

/** Letters that were refused go once more to the addresses that refused them, or to where the operator agrees to send them. */
async function retry(app: App, asked: { email: string; agrees: boolean }, json: boolean): Promise<void> {
  const retried = await retryRefused(app, asked);
  if (typeof retried !== 'number') throw new CommandError(notRetried[retried]);
  if (json) {
    console.log(JSON.stringify({ retried }));
    return;
  }
  const what = retried === 1 ? '1 letter is' : `${retried} letters are`;
  const nothing = asked.agrees
    ? 'No proposed address waits for your decision.'
    : 'No letter of this release was refused.';
  console.log(retried === 0 ? nothing : `${what} being sent again.`);
}

async function act(
  installation: App,
  asked: { verb: Exclude<Verb, 'retry'>; email: string | undefined },
  json: boolean,
) {
  const result = await changed(installation, asked);
  if (result === 'unknown') throw new CommandError('No account has this address.');
  const freezes = await listFreezes(installation);
  if (result === 'hindered')
    throw new CommandError(`It is too early. ${nextStep({ hindrance: null, ...freezes.restored })}`);
  const aheadUntil = await clockAheadUntil(installation);
  const inProgress = asked.verb === 'show' ? await releasesUnderWay(installation, { stage: 'asked' }) : null;
  if (json) {
    const shown = inProgress ? { underWay: inProgress.releases } : {};
    console.log(
      JSON.stringify({
        ...freezes,
        clockAheadUntil: aheadUntil,
        ...shown,
        ...(result ? { isChanged: result === 'done' } : {}),
      }),
    );
    return;
  }
  if (result === 'unchanged') console.log('It was so already. Nothing has changed.');
  if (asked.email !== undefined) {
    if (result === 'done') console.log(asked.verb === 'freeze' ? 'This owner’s release is stopped.' : 'It goes on.');
    return;
  }
  if (aheadUntil) {
    console.log(
      `The clock was ahead once: nothing moves forward before ${aheadUntil.toISOString()}. If the present time is right, run clock accept.`,
    );
  }
  if (freezes.frozenAt) {
    console.log(
      `Releases have been stopped for everybody since ${freezes.frozenAt.toISOString()}: ${freezes.reason ?? ''}`,
    );
  } else if (!aheadUntil) {
    console.log(`Releases ${freezes.silenceStoppedAt ? 'that contacts confirm ' : ''}go on.`);
  }
  for (const line of brakeLines(freezes)) console.log(line);
  for (const line of freezes.restored ? restoredLines(freezes.restored) : []) console.log(line);
  if (freezes.frozenOwners > 0) console.log(`Stopped by name: ${freezes.frozenOwners}.`);
  if (inProgress) for (const line of underWayLines(inProgress)) console.log(line);
}

/** The release of one account, and whether an email came in answer to ours. */
async function showOne(app: App, email: string, json: boolean): Promise<void> {
  const release = await releaseOfAccount(app, email);
  if (!release) throw new CommandError('No account has this address.');
  if (json) console.log(JSON.stringify(release));
  else for (const line of underWayLines({ releases: [release], next: null })) console.log(line);
}

/** Releases in progress, in the words of the Admin Panel. */
function underWayLines({ releases, next }: Awaited<ReturnType<typeof releasesUnderWay>>): string[] {
  const lines = releases.map(
    ({ account, how, waits }) => `${account}: ${how}.${waits.map((wait) => ` ${waitWords(wait)}.`).join('')}`,
  );
  return next === null ? lines : [...lines, 'The Admin Panel shows the others.'];
}

function brakeLines({ silenceStoppedAt, countedAccounts, heldMailboxes, earlyReviews, foreseen }: Freezes): string[] {
  const stopped = silenceStoppedAt
    ? [
        `Releases by silence have been stopped since ${silenceStoppedAt.toISOString()}. What trusted contacts have confirmed goes on.`,
        `Counted on that day: ${countedAccounts.join(', ')}.`,
      ]
    : [];
  const held = heldMailboxes.map(
    ({ mailbox, accounts }) =>
      `Under review: ${mailbox}, which has confirmed early for ${accounts.join(', ')}. To allow it: release resume ${mailbox}.`,
  );
  const reviews = earlyReviews.map(
    (account) =>
      `Waits for you: the early release of ${account}, which would write to many new mailboxes. To allow it: release resume ${account}.`,
  );
  const ahead = foreseen.map(
    ({ day, accounts }) =>
      `Expected on ${day}, more releases by silence than can be right: ${accounts.join(', ')}. When all is well: release resume.`,
  );
  return [...stopped, ...held, ...reviews, ...ahead];
}

async function changed(
  app: App,
  { verb, email }: { verb: Exclude<Verb, 'retry'>; email: string | undefined },
): Promise<FreezeResult | null> {
  if (verb === 'show') return null;
  if (email !== undefined) return verb === 'freeze' ? freezeOwner(app, email) : resumeOwner(app, email);
  return verb === 'freeze' ? freezeReleases(app, 'The operator has stopped releases.') : resumeReleases(app);
}
