import type { FreezeResult, Freezes } from '#server/features/release/release-freeze.service.ts';
import { openInstallation } from '#server/installation.ts';
import type { Services } from '#server/services.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError } from './command.ts';
import { nextStep, restoredLines } from './restored.ts';

type Verb = 'show' | 'freeze' | 'resume';
type Releases = Pick<Services['releases'], 'freezes' | 'freeze' | 'resume' | 'freezeOwner' | 'resumeOwner'>;

const wrongWords =
  'Say release show, release freeze EMAIL, release freeze --all, release resume EMAIL or release resume.';

export const releaseCommand: Command = {
  usage: ['release show [--json]', 'release freeze EMAIL | --all [--json]', 'release resume [EMAIL | --all] [--json]'],
  wordsMax: 2,
  summary: 'Stops releases, of one owner or of all, and lets them go on. It never releases and never shortens a wait.',
  flags: ['all'],
  async run([verb, email, ...rest], { json, flags }) {
    const isForAll = flags.has('all');
    if (verb !== 'show' && verb !== 'freeze' && verb !== 'resume') throw new CommandError(wrongWords, 2);
    const isForOne = email !== undefined;
    if (rest.length > 0 || (isForOne && (isForAll || verb === 'show'))) throw new CommandError(wrongWords, 2);
    // To stop everybody takes a word of its own. To let everybody go on is what the operator is told to type.
    if (verb === 'freeze' && !isForOne && !isForAll) throw new CommandError(wrongWords, 2);

    const installation = await openInstallation(loadSettings());
    try {
      await act(installation.services, { verb, email }, json);
    } finally {
      await installation.close();
    }
  },
};

async function act(
  { releases, clockAcceptance }: Pick<Services, 'releases' | 'clockAcceptance'>,
  asked: { verb: Verb; email: string | undefined },
  json: boolean,
) {
  const result = await changed(releases, asked);
  if (result === 'unknown') throw new CommandError('No account has this address.');
  const freezes = await releases.freezes();
  if (result === 'hindered')
    throw new CommandError(`It is too early. ${nextStep({ hindrance: null, ...freezes.restored })}`);
  const clockAheadUntil = await clockAcceptance.aheadUntil();
  if (json) {
    console.log(JSON.stringify({ ...freezes, clockAheadUntil, ...(result ? { isChanged: result === 'done' } : {}) }));
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
}

function brakeLines({ silenceStoppedAt, countedAccounts, heldMailboxes, foreseen }: Freezes): string[] {
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
  const ahead = foreseen.map(
    ({ day, accounts }) =>
      `Foreseen for ${day}, more by silence than can be right: ${accounts.join(', ')}. When all is well: release resume.`,
  );
  return [...stopped, ...held, ...ahead];
}

async function changed(
  releases: Releases,
  { verb, email }: { verb: Verb; email: string | undefined },
): Promise<FreezeResult | null> {
  if (verb === 'show') return null;
  if (email !== undefined) return verb === 'freeze' ? releases.freezeOwner(email) : releases.resumeOwner(email);
  return verb === 'freeze' ? releases.freeze('The operator has stopped releases.') : releases.resume();
}
