import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import Provider, {
  type Adapter,
  type AdapterPayload,
  type Configuration,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';

/** A person with an account at the provider, as its claims describe them. */
export type ProviderPerson = {
  sub: string;
  email?: string;
  email_verified?: boolean;
  given_name?: string;
  family_name?: string;
};

/** Answer of the token endpoint. */
export type TokenAnswer = Record<string, unknown> & { id_token?: string };

/** A certified OpenID provider on this machine, with a page on which a person chooses who to be. */
export type TestIdentityProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Allowed return addresses; fixed with the first request. */
  redirectUris: string[];
  /** People who can be chosen; may be changed any time. */
  people: ProviderPerson[];
  /** Changes an answer of the token endpoint on its way; null leaves them as they are. */
  tamper: ((answer: TokenAnswer) => TokenAnswer) | null;
  /** Paths that were asked for, in order. */
  asked: string[];
  /** The claims of the token that was given out last, before it was changed. */
  claimsOf(answer: TokenAnswer): Record<string, unknown>;
  /** A token with the provider's own signature, or another key's, or none. */
  token(claims: Record<string, unknown>, by?: 'provider' | 'stranger' | 'none'): string;
  /** Goes through its pages as this person, or cancels where null, in a fresh browser. Gives where it is sent back to. */
  visit(url: string, sub: string | null): Promise<string>;
  close(): Promise<void>;
};

type Options = {
  redirectUris?: string[];
  people?: ProviderPerson[];
  /** Tells claims only at the userinfo endpoint, as the standard allows. */
  isReticent?: boolean;
  /** Client authentication that the token endpoint accepts; all others fail. */
  takesSecretBy?: 'client_secret_post' | 'client_secret_basic';
  /** Port of the server; default: any free one. */
  port?: number;
};

const clientId = 'everkept-client';
const clientSecret = 'a-secret-between-the-two-of-them';
const keyId = 'signing-key';
const choosePath = '/choose/';
const redirectsMax = 10;

export async function startIdentityProvider({
  redirectUris = [],
  people = [],
  isReticent = false,
  takesSecretBy = 'client_secret_post',
  port = 0,
}: Options): Promise<TestIdentityProvider> {
  let handle: RequestListener | undefined;
  const server = createServer((request, response) => {
    handle ??= listener();
    handle(request, response);
  }).listen(port, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  const issuer = `http://localhost:${address.port}`;
  const [own, stranger] = [newKey(), newKey()];

  const test: TestIdentityProvider = {
    issuer,
    clientId,
    clientSecret,
    redirectUris,
    people,
    tamper: null,
    asked: [],
    claimsOf: ({ id_token: token = '' }) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()),
    token(claims, by = 'provider') {
      if (by === 'none') return `${encoded({ alg: 'none' })}.${encoded(claims)}.`;
      const text = `${encoded({ alg: 'RS256', kid: keyId })}.${encoded(claims)}`;
      const signature = sign('sha256', Buffer.from(text), by === 'provider' ? own : stranger);
      return `${text}.${signature.toString('base64url')}`;
    },
    visit,
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };

  const listener = (): RequestListener => {
    const provider = new Provider(issuer, configuration({ redirectUris, people, isReticent, takesSecretBy, key: own }));
    provider.use(async (context, next) => {
      test.asked.push(context.path);
      if (context.path.startsWith(choosePath)) return choose(provider, context as KoaContextWithOIDC, people);
      await next();
      if (context.path === '/token' && test.tamper) context.body = test.tamper(context.body as TokenAnswer);
    });
    return provider.callback();
  };
  return test;
}

type Setup = Required<Pick<Options, 'redirectUris' | 'people' | 'isReticent' | 'takesSecretBy'>> & { key: KeyObject };

function configuration({ redirectUris, people, isReticent, takesSecretBy, key }: Setup): Configuration {
  // A known person is asked again if the client wants it, as at Google.
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }));
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: takesSecretBy,
      },
    ],
    clientAuthMethods: [takesSecretBy],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    conformIdTokenClaims: isReticent,
    adapter: keptInMemory(),
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'RS256' } as never] },
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_context, interaction) => `${choosePath}${interaction.uid}`, policy },
    findAccount: (_context, sub) => {
      const person = people.find((one) => one.sub === sub);
      return person && { accountId: sub, claims: async () => ({ ...person }) };
    },
    // Signing in counts as consent, so that there is one page and not two.
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc;
      if (!client || !session?.accountId) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

/** Its rows, in this process; the library's own way of doing so prints a warning. */
function keptInMemory(): (model: string) => Adapter {
  const rows = new Map<string, AdapterPayload>();
  return (model) => {
    const ofModel = () => [...rows].filter(([key]) => key.startsWith(`${model}:`));
    const findBy = (part: AdapterPayload) => {
      const wanted = Object.entries(part);
      return ofModel().find(([, row]) => wanted.every(([name, value]) => row[name] === value))?.[1];
    };
    return {
      upsert: async (id, row) => void rows.set(`${model}:${id}`, row),
      find: async (id) => rows.get(`${model}:${id}`),
      findByUid: async (uid) => findBy({ uid }),
      findByUserCode: async (userCode) => findBy({ userCode }),
      consume: async (id) => void Object.assign(rows.get(`${model}:${id}`) ?? {}, { consumed: Date.now() / 1000 }),
      destroy: async (id) => void rows.delete(`${model}:${id}`),
      revokeByGrantId: async (grantId) => {
        for (const [key, row] of ofModel()) if (row.grantId === grantId) rows.delete(key);
      },
    };
  };
}

/** The page with a button for each person, and what its buttons do. */
async function choose(provider: Provider, context: KoaContextWithOIDC, people: ProviderPerson[]): Promise<void> {
  if (context.method === 'GET') {
    const names = [...people.map(({ sub, email }) => ({ sub, label: `Continue as ${email ?? sub}` }))];
    const buttons = [...names, { sub: '', label: 'Cancel' }].map(
      ({ sub, label }) => `<p><button name="sub" value="${sub}">${label}</button></p>`,
    );
    context.type = 'html';
    context.body = `<!doctype html><html lang="en"><title>Choose an account</title><link rel="icon" href="data:,"><h1>Choose an account</h1><form method="post">${buttons.join('')}</form>`;
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk as Buffer);
  const sub = new URLSearchParams(Buffer.concat(chunks).toString()).get('sub');
  const result = sub
    ? { login: { accountId: sub }, select_account: {} }
    : { error: 'access_denied', error_description: 'Cancelled' };
  context.respond = false;
  await provider.interactionFinished(context.req, context.res, result);
}

async function visit(url: string, sub: string | null): Promise<string> {
  const origin = new URL(url).origin;
  const cookies = new Map<string, string>();
  let next = url;
  let body: URLSearchParams | undefined;
  for (let step = 0; step < redirectsMax; step += 1) {
    const answer = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body ? { method: 'POST', body } : {}),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    body = location ? undefined : new URLSearchParams({ sub: sub ?? '' });
    if (!location && !new URL(next).pathname.startsWith(choosePath)) {
      throw new Error(`The provider answered ${answer.status} at ${next}: ${await answer.text()}`);
    }
    await answer.arrayBuffer();
    if (!location) continue;
    next = new URL(location, next).href;
    if (new URL(next).origin !== origin) return next;
  }
  throw new Error('The provider never sent the browser back.');
}

function newKey(): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return createPrivateKey(privateKey);
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
