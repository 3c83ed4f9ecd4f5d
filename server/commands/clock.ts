import { advanceTestClock, jumpTestClock, showTestClock } from '#server/features/release/test-clock.ts';
import { acceptCurrentTime } from '#server/features/service-health/clock-acceptance.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
import { roundsOf } from '#server/worker.ts';
import { type Command, CommandError, type CommandOptions, readDuration } from './command.ts';

export const clockCommand: Command = {
  usage: [
    'clock accept [--json]',
    'clock show [--json]',
    'clock advance 95d [--json]',
    'clock jump 95d | -95d [--json]',
  ],
  wordsMax: 2,
  summary:
    'accept confirms that the present time is right, after a clock was ahead. The others show or move the test clock, and need ' +
    'TEST_CLOCK=1: advance simulates the time step by step, jump simulates an outage or a wrong clock.',
  async run([verb, duration], options) {
    const takesDuration = verb === 'advance' || verb === 'jump';
    if ((!takesDuration && verb !== 'show' && verb !== 'accept') || (!takesDuration && duration !== undefined)) {
      throw new CommandError('Use clock accept, clock show, clock advance 95d or clock jump 95d.', 2);
    }
    const isBack = verb === 'jump' && duration?.startsWith('-');
    const ms = takesDuration ? readDuration(isBack ? duration?.slice(1) : duration) * (isBack ? -1 : 1) : 0;
    const settings = loadSettings();
    if (verb === 'accept') return accept(settings, options);
    if (!settings.testClock) throw new CommandError('The clock only moves with TEST_CLOCK=1.');
    const installation = await openInstallation(settings);
    try {
      if (verb === 'advance') await advanceTestClock({ app: installation, rounds: roundsOf(installation), ms });
      if (verb === 'jump') await jumpTestClock({ db: installation.db, ms });
      print(await showTestClock(installation), options);
    } finally {
      await installation.close();
    }
  },
};

async function accept(settings: Settings, { json }: CommandOptions): Promise<void> {
  const installation = await openInstallation(settings);
  try {
    const aheadUntil = await acceptCurrentTime(installation);
    const now = await installation.clock.now();
    if (json) console.log(JSON.stringify({ isChanged: aheadUntil !== null, aheadUntil, now }));
    else if (aheadUntil === null)
      console.log('The clock is not behind a time it has shown before. Nothing has changed.');
    else {
      console.log(
        `The time is ${now.toISOString()}, and no longer counts as ${aheadUntil.toISOString()}. Releases continue.`,
      );
      console.log('No time to answer became shorter. Records with a future time now have the present time.');
    }
  } finally {
    await installation.close();
  }
}

function print(shown: { now: Date; offsetMs: number }, { json }: CommandOptions): void {
  const days = (shown.offsetMs / 86_400_000).toFixed(2);
  console.log(json ? JSON.stringify(shown) : `It is ${shown.now.toISOString()}, ${days} days ahead of the real time.`);
}
