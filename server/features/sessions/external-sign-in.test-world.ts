import type { FastifyInstance } from 'fastify';
import { type NamedProvider, openIdentityProviders } from '#server/platform/identity/identity-provider.ts';
import { createBrowser } from '#tests/support/app.ts';
import type { TestIdentityProvider } from '#tests/support/servers/identity-provider.ts';

/** Settings of Google for a test provider. */
export function googleOf({ issuer, clientId, clientSecret }: TestIdentityProvider): Promise<NamedProvider[]> {
  const settings = { issuer, clientId, clientSecret, proofPrompt: 'select_account' as const };
  return openIdentityProviders([{ slug: 'google', name: 'Google', ...settings }]);
}

type Sending = { method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'; headers?: Record<string, string>; body?: object };

/** A browser with a jar for all its cookies. */
export function visitorAt(provider: TestIdentityProvider, app: FastifyInstance) {
  const browser = createBrowser(app);
  const jar = new Map<string, string>();
  const request = async (url: string, { method = 'GET', headers = {}, body }: Sending = {}) => {
    browser.cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ') || null;
    const answer = await browser.send(method, url, { headers, ...(body ? { body } : {}) });
    for (const { name, value } of answer.cookies) {
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  const send = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    request(url, { method, headers });
  return {
    jar,
    send,
    request,
    /** Begins, signs in at the provider, and returns the path of the way back. */
    async travel(sub: string | null, plan?: string): Promise<string> {
      const answer = await send(plan === undefined ? '/api/auth/google' : `/api/auth/google?plan=${plan}`);
      if (answer.statusCode !== 302) throw new Error(`Setting out was answered ${answer.statusCode}: ${answer.body}`);
      const { pathname, search } = new URL(await provider.visit(String(answer.headers.location), sub));
      return pathname + search;
    },
    user: async () => (await send('/api/auth/user')).json<{ id: string; email: string }>(),
  };
}

export type Visitor = ReturnType<typeof visitorAt>;
