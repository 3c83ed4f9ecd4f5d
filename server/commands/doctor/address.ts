import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { findCertificate } from '#server/features/service-health/endings.rules.ts';
import { bad, type Finding, poor, well } from '#server/features/service-health/findings.rules.ts';
import { bareHeaders } from '#server/http/content-security.ts';
import {
  type Arrival,
  addressDigest,
  askAsDoctor,
  type Derive,
  doctorHeader,
  doctorPath,
  readArrival,
} from '#server/http/doctor-answers.ts';
import {
  type Answer,
  answerTimeoutMs,
  ask,
  type Body,
  codeOf,
  jsonOf,
  NoAnswerError,
  originOf,
} from '#server/platform/site/ask.ts';
import type { Settings } from '#server/settings.ts';
import { videoBytesMax } from '#shared/rules/files.ts';
import { importBytesMax } from '#shared/rules/imports.ts';
import { bytesPerMegabyte } from '#shared/rules/plans.ts';

/** Most proxies refuse a large body when they read its length. One that stays silent for this time accepts it. */
const refusalTimeoutMs = 3_000;
/** Size of a body that a proxy with default settings refuses: nginx's own limit is 1 MB. */
const sentBytes = 2 * bytesPerMegabyte;
/** Bytes of the other fields of a form, and of the separators. */
const formBytes = bytesPerMegabyte;
/** Address reserved for examples (RFC 5737). */
const madeUpAddress = '198.51.100.77';
const plainPortUsual = 80;

type Options = {
  /** Address of the same name without TLS. */
  plainPort?: number;
  /** Time within which a proxy must refuse a large body. */
  refusalMs?: number;
  nowMs?: () => number;
};

const what = 'public address';
const behindProxy =
  'In nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; and TRUST_PROXY names the addresses that the proxy connects from.';

/**
 * Opens the site as its visitors do, through every proxy in front of it. `derive` proves that this Everkept and the
 * answering one are the same. Without it, only the network path is checked. Only `BASE_URL`, the operator's own
 * setting, is opened. If that is an address of this machine and no proxy is named, there is nothing to check.
 */
export async function lookAtAddress(
  { http }: Settings,
  derive: Derive | undefined,
  options: Options = {},
): Promise<Finding[]> {
  if (http.isLocal && http.trustProxy === false) return [];
  const site = new URL(http.baseUrl);
  const unresolved = await lookAtName(site);
  if (unresolved) return [unresolved];
  const redirect = await lookAtRedirect(site, options.plainPort);
  if (!derive) {
    const mend = 'First fix the problems of the database and of the master key.';
    return [poor(what, 'Without its keys, we cannot check if this Everkept answers there.', mend), ...redirect];
  }
  try {
    const { nowMs = Date.now, refusalMs = refusalTimeoutMs } = options;
    const doctor = { site, derive, nowMs, refusalMs };
    return [...(await lookThrough(doctor)), ...redirect];
  } catch (error) {
    return [unreached(site, error), ...redirect];
  }
}

async function lookAtName({ hostname }: URL): Promise<Finding | null> {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
  try {
    await lookup(hostname);
    return null;
  } catch (error) {
    const mend = `Point ${hostname} to the proxy in your DNS (an A or AAAA record), or correct BASE_URL.`;
    return bad(what, `The name ${hostname} leads nowhere (${codeOf(error)}).`, mend);
  }
}

type Doctor = { site: URL; derive: Derive; nowMs: () => number; refusalMs: number };
type Asking = { answer: Answer; arrival: Arrival | null; nonce: string };

async function lookThrough(doctor: Doctor): Promise<Finding[]> {
  const plain = await arriveAs(doctor);
  if (!plain.arrival) return [lookAtStranger(doctor.site, plain.answer)];
  const spoofed = await arriveAs(doctor, madeUpAddress);
  return [
    well(what, `This Everkept answers at ${doctor.site.origin}.`),
    ...lookAtCertificate(plain.answer, doctor.nowMs()),
    lookAtForwarding(plain.arrival),
    ...lookAtSpoofing(doctor, plain, spoofed),
    lookAtHost(plain.arrival),
    await lookAtPrivatePages(doctor.site),
    await lookAtUploads(doctor),
    await lookAtHeaders(doctor.site),
  ];
}

async function arriveAs(doctor: Doctor, pretended?: string): Promise<Asking> {
  const { nonce, header } = askAsDoctor(doctor.derive, doctor.nowMs());
  const pretence = pretended === undefined ? {} : { 'x-forwarded-for': pretended };
  const answer = await ask(new URL(doctorPath, doctor.site), { headers: { [doctorHeader]: header, ...pretence } });
  return { answer, nonce, arrival: readArrival(doctor.derive, nonce, jsonOf(answer.text)) };
}

const nothingBehind: ReadonlySet<number> = new Set([502, 503, 504]);

/** Finding about a server that answers, but could not prove that it is this installation. */
function lookAtStranger(site: URL, { status, headers }: Answer): Finding {
  if (nothingBehind.has(status)) {
    const mend = 'Start Everkept, and check the address and port to which the proxy passes requests.';
    return bad(what, `The proxy answers ${status}: it does not reach Everkept.`, mend);
  }
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    const mend = 'Set BASE_URL to the address that answers without a redirect.';
    return bad(what, `${site.origin} redirects to ${originOf(headers.location, site)}.`, mend);
  }
  return bad(
    what,
    `Another server answers at ${site.origin}, not this Everkept (status ${status}).`,
    `Check where DNS and proxy lead: to another site, or to an Everkept with another database. The proxy must pass on every path, ${doctorPath} too, and the header ${doctorHeader}; and the clocks of both machines must be right.`,
  );
}

function lookAtCertificate({ certificateEndsAt }: Answer, nowMs: number): Finding[] {
  return certificateEndsAt === null ? [] : [findCertificate(certificateEndsAt.getTime(), nowMs)];
}

function lookAtForwarding({ forwarding }: Arrival): Finding {
  const name = 'visitors’ addresses';
  if (forwarding === 'believed')
    return well(name, 'They reach Everkept, so that each visitor has limits of their own.');
  const shared = 'All visitors share one limit of tries, and one lockout:';
  return forwarding === 'absent'
    ? bad(name, `${shared} the proxy sends no X-Forwarded-For.`, behindProxy)
    : bad(
        name,
        `${shared} X-Forwarded-For comes from an address that TRUST_PROXY does not cover.`,
        `Add the address that the proxy connects from to TRUST_PROXY, and start again. ${behindProxy}`,
      );
}

function lookAtSpoofing({ derive }: Doctor, plain: Asking, spoofed: Asking): Finding[] {
  const name = 'made-up addresses';
  if (!plain.arrival || !spoofed.arrival) {
    const mend = 'Run this again. If it happens again, the proxy refuses requests that have an X-Forwarded-For.';
    return [poor(name, 'A request with an X-Forwarded-For of its own was not answered.', mend)];
  }
  const isTaken = spoofed.arrival.seen === addressDigest(derive, spoofed.nonce, madeUpAddress);
  if (!isTaken) return [well(name, 'A visitor cannot choose the address that they are counted by.')];
  const isAppended = plain.arrival.hops > 0 && spoofed.arrival.hops > plain.arrival.hops;
  // Then the proxy reported our true address, and TRUST_PROXY covers this machine.
  const isOurs = plain.arrival.seen === addressDigest(derive, plain.nonce, plain.answer.ownAddress);
  if (isAppended && isOurs) return [well(name, 'The proxy adds the address it sees. TRUST_PROXY covers this machine.')];
  if (isAppended) {
    return [
      poor(
        name,
        'The proxy adds an address that TRUST_PROXY covers, so the address before it was trusted.',
        'If this command runs on a network that TRUST_PROXY covers, list only the proxies in TRUST_PROXY. If that is not the cause, an outer proxy passes on what visitors send: make it replace X-Forwarded-For.',
      ),
    ];
  }
  return [
    bad(
      name,
      'The proxy passes on the X-Forwarded-For that a visitor sends, so visitors choose their own address and no limit holds.',
      `Make the proxy write the address that it sees itself. ${behindProxy}`,
    ),
  ];
}

function lookAtHost({ isOwnHost }: Arrival): Finding {
  return isOwnHost
    ? well('name of the site', 'The proxy passes on the requested host name.')
    : poor(
        'name of the site',
        'Requests arrive with another host name than the requested one.',
        'In nginx: proxy_set_header Host $host;',
      );
}

async function lookAtPrivatePages(site: URL): Promise<Finding> {
  const name = 'private pages';
  const paths = ['/outbox.json', '/metrics'];
  const answers = await Promise.all(paths.map((path) => ask(new URL(path, site))));
  const open = paths.filter((_path, at) => answers[at]?.status === 200);
  const mend =
    'Start again with BASE_URL and TRUST_PROXY as they are set here, and check the headers that the proxy adds.';
  return open.length === 0
    ? well(name, 'Neither the outbox nor the figures are shown there.')
    : bad(name, `Everybody can read ${open.join(' and ')}.`, mend);
}

/** Announces the largest files and sends a small one, and sees whether they are refused. */
async function lookAtUploads(doctor: Doctor): Promise<Finding> {
  const name = 'uploads';
  const upload = (body: Body, timeoutMs: number) => {
    const { header } = askAsDoctor(doctor.derive, doctor.nowMs());
    return ask(new URL(doctorPath, doctor.site), { headers: { [doctorHeader]: header }, body, timeoutMs });
  };
  const isAnnounceable = async (fileBytes: number) => {
    // A proxy that reads the whole body first stays silent until then, which is no refusal.
    const isSilent = (error: unknown) => error instanceof NoAnswerError;
    const body = { bytes: fileBytes + formBytes, isSent: false };
    return upload(body, doctor.refusalMs).then(({ status }) => status === 200, isSilent);
  };
  const limit = `${Math.ceil((importBytesMax + formBytes) / bytesPerMegabyte / 100) * 100}m`;
  const mend = `Raise its limit for the body of a request, which is 1 MB by default. In nginx: client_max_body_size ${limit};`;
  const comesThrough = await upload({ bytes: sentBytes, isSent: true }, answerTimeoutMs).then(
    ({ status }) => status === 200,
    () => false,
  );
  if (!comesThrough || !(await isAnnounceable(videoBytesMax))) {
    return bad(name, 'The proxy refuses files that people may attach.', mend);
  }
  return (await isAnnounceable(importBytesMax))
    ? well(name, 'The proxy accepts every file that people may attach or import.')
    : poor(name, 'The proxy refuses an export that people may import.', mend);
}

const policyOfPage = /^default-src 'none'; script-src 'nonce-[^,]+$/;

async function lookAtHeaders(site: URL): Promise<Finding> {
  const name = 'safety headers';
  const { headers } = await ask(site);
  const { 'content-security-policy': _bare, ...fixed } = bareHeaders(site);
  const changed = Object.entries(fixed).flatMap(([header, value]) => (headers[header] === value ? [] : [header]));
  if (!policyOfPage.test(String(headers['content-security-policy']))) changed.unshift('content-security-policy');
  return changed.length === 0
    ? well(name, 'They arrive as they were sent.')
    : poor(
        name,
        `Missing or changed on the way: ${changed.join(', ')}.`,
        'Make the proxy pass headers on unchanged, and add none of its own.',
      );
}

/** If people type the name alone, some browsers still try http:// first. */
async function lookAtRedirect(site: URL, plainPort = plainPortUsual): Promise<Finding[]> {
  if (site.protocol !== 'https:') return [];
  const name = 'http://';
  const plain = new URL(`http://${site.hostname}:${plainPort}/`);
  const mend = `Make the proxy answer ${plain.origin} with a redirect (301) to ${site.origin}.`;
  try {
    const { status, headers } = await ask(plain);
    const leadsHome = status >= 300 && status < 400 && originOf(headers.location ?? '', plain) === site.origin;
    if (leadsHome) return [well(name, `It leads to ${site.origin}.`)];
    const found = 'It answers without a redirect to https://, so passwords can cross the network unencrypted.';
    return [bad(name, found, mend)];
  } catch (error) {
    return [poor(name, `Nothing answers there (${codeOf(error)}). Some browsers try only this address.`, mend)];
  }
}

const certificateTrouble: Readonly<Record<string, [found: string, mend: string]>> = {
  CERT_HAS_EXPIRED: ['has expired', 'Renew it, and find out why it was not renewed automatically.'],
  CERT_NOT_YET_VALID: ['is not valid yet', 'Check the clock of this machine, and the certificate.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is self-signed, so no browser accepts it', 'Get one from a certificate authority.'],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'comes from an authority that this machine does not know',
    'Get one from a known authority, or make yours known: NODE_EXTRA_CA_CERTS, and to every browser.',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'comes without its intermediate certificates',
    'Give the proxy the whole chain (fullchain.pem).',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another name', 'Get one for the name in BASE_URL, or correct BASE_URL.'],
};

function unreached(site: URL, error: unknown): Finding {
  const code = codeOf(error);
  const [trouble, certificateMend] = certificateTrouble[code] ?? [];
  if (trouble && certificateMend) return bad(what, `The certificate of ${site.host} ${trouble}.`, certificateMend);
  if (code === 'ECONNREFUSED') {
    const mend = 'Start the proxy and Everkept, and check that the name leads to this machine and the port is open.';
    return bad(what, `Nothing answers at ${site.origin}.`, mend);
  }
  if (error instanceof NoAnswerError || code === 'ETIMEDOUT') {
    const mend = 'Check that the name leads to the right machine, and that no firewall blocks it.';
    return bad(what, `${site.origin} gives no answer within ${answerTimeoutMs / 1_000} seconds.`, mend);
  }
  if (/^(EPROTO|ERR_SSL)/.test(code)) {
    const mend = 'Check that the proxy has a certificate and speaks TLS at this port, or correct BASE_URL.';
    return bad(what, `The server at ${site.host} does not speak TLS correctly.`, mend);
  }
  return bad(what, `${site.origin} cannot be reached (${code}).`, 'Check DNS, proxy and firewall.');
}
