import type { FreezeResult, Freezes } from '#server/features/release/release-freeze.service.ts';
import { releaseOfAccount, releasesUnderWay } from '#server/features/releases-under-way/under-way.service.ts';
import { waitWords } from '#server/features/releases-under-way/under-way.words.ts';
import { openInstallation } from '#server/installation.ts';
import type { Services } from '#server/services.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';
import { nextStep, restoredLines } from './restored.ts';

type Verb = 'show' | 'freeze' | 'resume' | 'retry';
type Releases = Pick<Services['releases'], 'freezes' | 'freeze' | 'resume' | 'freezeOwner' | 'resumeOwner'>;

const wrongWords =
  'Say release show, release show EMAIL, release freeze EMAIL, release freeze --all, release resume EMAIL, release resume or release retry EMAIL.';

export const releaseCommand: Command = {
  usage: [
    'release show [EMAIL] [--json]',
    'release freeze EMAIL | --all [--json]',
    'release resume [EMAIL | --all] [--json]',
    'release retry EMAIL [--agree] [--json]',
  ],
  wordsMax: 2,
  summary:
    'Stops releases, of one owner or of all, lets them go on, and tries refused letters again. It never releases and never shortens a wait.',
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
    // To stop everybody takes a word of its own. To let everybody go on is what the operator is told to type.
    if (verb === 'freeze' && !isForOne && !isForAll) throw new CommandError(wrongWords, 2);

    const installation = await openInstallation(loadSettings());
    try {
      const { services } = installation;
      if (verb === 'retry') await retry(services.newAddresses, { email: email ?? '', agrees }, json);
      else if (verb === 'show' && isForOne) await showOne(services.underWay, email, json);
      else await act(services, { verb, email }, json);
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
  nothing_open: 'No release of this owner is under way.',
  stopped: 'This release is stopped, so nothing leaves now. Say release show; when it goes on, try again.',
};

/** Letters that were refused go once more to the addresses that refused them, or to where the operator agrees to send them. */
async function retry(
  newAddresses: Services['newAddresses'],
  asked: { email: string; agrees: boolean },
  json: boolean,
): Promise<void> {
  const retried = await newAddresses.retry(asked);
  if (typeof retried !== 'number') throw new CommandError(notRetried[retried]);
  if (json) {
    console.log(JSON.stringify({ retried }));
    return;
  }
  const what = retried === 1 ? '1 letter is' : `${retried} letters are`;
  const nothing = asked.agrees ? 'No proposed address waits for your word.' : 'No letter of this release was refused.';
  console.log(retried === 0 ? nothing : `${what} on the way again.`);
}

async function act(
  { releases, clockAcceptance, underWay }: Pick<Services, 'releases' | 'clockAcceptance' | 'underWay'>,
  asked: { verb: Exclude<Verb, 'retry'>; email: string | undefined },
  json: boolean,
) {
  const result = await changed(releases, asked);
  if (result === 'unknown') throw new CommandError('No account has this address.');
  const freezes = await releases.freezes();
  if (result === 'hindered')
    throw new CommandError(`It is too early. ${nextStep({ hindrance: null, ...freezes.restored })}`);
  const clockAheadUntil = await clockAcceptance.aheadUntil();
  const inProgress = asked.verb === 'show' ? await releasesUnderWay(underWay, { stage: 'asked' }) : null;
  if (json) {
    const shown = inProgress ? { underWay: inProgress.releases } : {};
    console.log(
      JSON.stringify({ ...freezes, clockAheadUntil, ...shown, ...(result ? { isChanged: result === 'done' } : {}) }),
    );
    return;
  }
  if (result === 'unchanged') console.log('It was so already; nothing has changed.');
  if (asked.email !== undefined) {
    if (result === 'done') console.log(asked.verb === 'freeze' ? 'This owner’s release is stopped.' : 'It goes on.');
    return;
  }
  if (clockAheadUntil) {
    console.log(
      `The clock was ahead once: nothing moves forward before ${clockAheadUntil.toISOString()}. Where the time of now is right, run clock accept.`,
    );
  }
  if (freezes.frozenAt) {
    console.log(
      `Releases have been stopped for everybody since ${freezes.frozenAt.toISOString()}: ${freezes.reason ?? ''}`,
    );
  } else if (!clockAheadUntil) {
    console.log(`Releases ${freezes.silenceStoppedAt ? 'that contacts confirm ' : ''}go on.`);
  }
  for (const line of brakeLines(freezes)) console.log(line);
  for (const line of freezes.restored ? restoredLines(freezes.restored) : []) console.log(line);
  if (freezes.frozenOwners > 0) console.log(`Stopped by name: ${freezes.frozenOwners}.`);
  if (inProgress) for (const line of underWayLines(inProgress)) console.log(line);
}

/** The release of one account, and whether an email came in answer to ours. */
async function showOne(underWay: Services['underWay'], email: string, json: boolean): Promise<void> {
  const release = await releaseOfAccount(underWay, email);
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
      `Held: ${mailbox}, which has confirmed early for ${accounts.join(', ')}. To let it go on: release resume ${mailbox}.`,
  );
  const reviews = earlyReviews.map(
    (account) =>
      `Waits for you: the early release of ${account}, which would write to many new mailboxes. To let it go on: release resume ${account}.`,
  );
  const ahead = foreseen.map(
    ({ day, accounts }) =>
      `Foreseen for ${day}, more by silence than can be right: ${accounts.join(', ')}. When all is well: release resume.`,
  );
  return [...stopped, ...held, ...reviews, ...ahead];
}

async function changed(
  releases: Releases,
  { verb, email }: { verb: Exclude<Verb, 'retry'>; email: string | undefined },
): Promise<FreezeResult | null> {
  if (verb === 'show') return null;
  if (email !== undefined) return verb === 'freeze' ? releases.freezeOwner(email) : releases.resumeOwner(email);
  return verb === 'freeze' ? releases.freeze('The operator has stopped releases.') : releases.resume();
}
