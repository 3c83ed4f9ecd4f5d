import { advanceTestClock, jumpTestClock, showTestClock } from '#server/features/release/test-clock.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings, type Settings } from '#server/settings.ts';
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
    'accept takes the time of now for the right one, after a clock that was ahead. The others show or move the test clock, with ' +
    'TEST_CLOCK=1: advance lives through the time, jump is an outage or a clock that is wrong.',
  async run([verb, duration], options) {
    const takesDuration = verb === 'advance' || verb === 'jump';
    if ((!takesDuration && verb !== 'show' && verb !== 'accept') || (!takesDuration && duration !== undefined)) {
      throw new CommandError('Say clock accept, clock show, clock advance 95d or clock jump 95d.', 2);
    }
    const isBack = verb === 'jump' && duration?.startsWith('-');
    const ms = takesDuration ? readDuration(isBack ? duration?.slice(1) : duration) * (isBack ? -1 : 1) : 0;
    const settings = loadSettings();
    if (verb === 'accept') return accept(settings, options);
    if (!settings.testClock) throw new CommandError('The clock only moves with TEST_CLOCK=1.');
    const installation = await openInstallation(settings);
    try {
      const { services } = installation;
      const world = { ...installation, ...services, daily: services.dailyRound };
      if (verb === 'advance') await advanceTestClock({ ...world, ms });
      if (verb === 'jump') await jumpTestClock({ ...world, ms });
      print(await showTestClock(world), options);
    } finally {
      await installation.close();
    }
  },
};

async function accept(settings: Settings, { json }: CommandOptions): Promise<void> {
  const installation = await openInstallation(settings);
  try {
    const aheadUntil = await installation.services.clockAcceptance.accept();
    const now = await installation.clock.now();
    if (json) console.log(JSON.stringify({ isChanged: aheadUntil !== null, aheadUntil, now }));
    else if (aheadUntil === null)
      console.log('The clock is not behind a time it has shown before; nothing has changed.');
    else {
      console.log(`It is ${now.toISOString()}, and no longer counts as ${aheadUntil.toISOString()}. Releases go on.`);
      console.log(
        'Nobody’s time to answer has become shorter. What was noted for a time that has not come is noted for now.',
      );
    }
  } finally {
    await installation.close();
  }
}

function print(shown: { now: Date; offsetMs: number }, { json }: CommandOptions): void {
  const days = (shown.offsetMs / 86_400_000).toFixed(2);
  console.log(json ? JSON.stringify(shown) : `It is ${shown.now.toISOString()}, ${days} days ahead of the real time.`);
}
