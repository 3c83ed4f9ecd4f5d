import type { App } from '#server/app.ts';
import type { TextResult } from '#server/platform/sms/texter.ts';
import type { Payload } from '../notifications.payload.ts';
import type { NotificationRow } from '../notifications.repository.ts';

export type Channel = NotificationRow['channel'];

/**
 * Answer of the mail server or another provider. Also `temporary` if it could not be reached, and `withheld` if the
 * message must not leave any more.
 */
export type Answer = (TextResult & { isTrouble?: true; mayHaveArrived?: true }) | { outcome: 'withheld' };

export type Departure<Name extends Channel> = {
  row: NotificationRow;
  payload: Extract<Payload, { channel: Name }>;
  /** True if the message may leave now. Asked as late as the channel can. */
  mayLeave: () => Promise<boolean>;
};

/** One way to reach a person. */
export type ChannelDriver<Name extends Channel> = {
  /** Hands the message over. It may throw, which counts as `temporary`. */
  send(app: App, departure: Departure<Name>): Promise<Answer>;
  /** True if steps of a release may rest on its outcome. */
  proves(app: App): boolean;
  /** The answer for a receiver who has turned the channel off, and null for everybody else. */
  stops(app: App, payload: Departure<Name>['payload']): Promise<Answer | null>;
  /** True if its messages stay on this machine, where the outbox page shows them. */
  stays(app: App): boolean;
};
