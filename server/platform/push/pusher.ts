import { RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { productName } from '#shared/product.ts';
import { createPoster, isAcceptance, type Posted } from './post.ts';
import { isPushEndpoint, type PushSubscription } from './subscription.ts';
import type { VapidKeys } from './vapid.ts';

/** Whatever happened, a screen shows this. Others may read it, so it names no person, no letter and no reason. */
export const pushWords = { title: productName, body: 'Please open your vault when you have a moment.' } as const;

/** Seconds for which a push service keeps a notice for a device that is off. */
const keptSeconds = 24 * 60 * 60;
/** A later notice takes the place of one that still waits (RFC 8030, section 5.4). */
const topic = 'reminder';

export type Pusher = {
  /** Key that a browser subscribes with. */
  readonly publicKey: string;
  /** True if we may send to such an address. */
  reaches(endpoint: string): boolean;
  /** Sends the one notice there is. Never throws. */
  send(subscription: PushSubscription): Promise<Posted>;
};

export type PusherSettings = {
  vapid: VapidKeys;
  /** Address of the site, by which push services find its operator (RFC 8292, section 2.1). Anyone may read it. */
  site: string;
  /** The machine has a test clock, so a push service of this machine is allowed. */
  isTrial: boolean;
  /** Certificate of such a service. */
  ca?: string | undefined;
};

/** Refuses every address of a private network after the name was resolved. */
export function outsideAgent({ isTrial, ca }: Pick<PusherSettings, 'isTrial' | 'ca'>): RequestFilteringHttpsAgent {
  const allowIPAddressList = isTrial ? ['127.0.0.1', '::1'] : [];
  return new RequestFilteringHttpsAgent({ allowIPAddressList, ...(ca && { ca }) });
}

/** Sends notices to devices. */
export function openPusher({ vapid, site, isTrial, ca }: PusherSettings): Pusher {
  const post = createPoster({ agent: outsideAgent({ isTrial, ca }) });
  const reaches = (endpoint: string) => isPushEndpoint(endpoint, { isTrial });

  return {
    publicKey: vapid.publicKey,
    reaches,
    async send(subscription) {
      if (!reaches(subscription.endpoint)) return { outcome: 'refused', replyCode: null };
      // Loaded when the first notice leaves: most installations start without a device.
      const { default: webPush } = await import('web-push');
      const details = { vapidDetails: { subject: site, ...vapid }, TTL: keptSeconds, topic };
      let sealed: ReturnType<typeof webPush.generateRequestDetails>;
      try {
        sealed = webPush.generateRequestDetails(subscription, JSON.stringify(pushWords), details);
      } catch {
        // The key of the browser is well-formed and no point of the curve.
        return { outcome: 'refused', replyCode: null };
      }
      const { endpoint, headers, body } = sealed;
      return postedBy(await post({ url: endpoint, headers: headers as Record<string, string>, body: body ?? '' }));
    },
  };
}

/** Statuses after which another try may succeed. Every other one below 500 says that it can't (RFC 8030, section 5). */
const laterStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

function postedBy(status: number | null): Posted {
  if (isAcceptance(status)) return { outcome: 'accepted', providerId: null };
  const isOver = status !== null && status < 500 && !laterStatuses.has(status);
  return { outcome: isOver ? 'refused' : 'temporary', replyCode: status };
}
