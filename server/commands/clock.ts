import { advanceTestClock, jumpTestClock, showTestClock } from '#server/features/release/test-clock.ts';
import { openInstallation } from '#server/installation.ts';
import { loadSettings } from '#server/settings.ts';
import { type Command, CommandError, type CommandOptions, readDuration } from './command.ts';

export const clockCommand: Command = {
  usage: ['clock show [--json]', 'clock advance 95d [--json]', 'clock jump 95d [--json]'],
  wordsMax: 2,
  summary: 'Shows or moves the test clock: advance lives through the time, jump is an outage. Needs TEST_CLOCK=1.',
  async run([verb, duration], options) {
    if ((verb !== 'show' && verb !== 'advance' && verb !== 'jump') || (verb === 'show' && duration !== undefined)) {
      throw new CommandError('Say clock show, clock advance 95d or clock jump 95d.', 2);
    }
    const ms = verb === 'show' ? 0 : readDuration(duration);
    const settings = loadSettings();
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

function print(shown: { now: Date; offsetMs: number }, { json }: CommandOptions): void {
  const days = (shown.offsetMs / 86_400_000).toFixed(2);
  console.log(json ? JSON.stringify(shown) : `It is ${shown.now.toISOString()}, ${days} days ahead of the real time.`);
}
