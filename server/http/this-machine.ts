import type { FastifyRequest } from 'fastify';

/** Headers that a proxy adds. Behind a local proxy every peer is this machine. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * True if a request comes from a program on this machine: the peer of the connection, never an address from a header.
 * `Host` must name this machine as well. Otherwise a foreign page whose name resolves to this machine could read the
 * answer (DNS rebinding).
 */
export function isFromThisMachine(request: FastifyRequest): boolean {
  if (proxyHeaders.some((name) => request.headers[name] !== undefined)) return false;
  return isLoopbackPeer(peerOf(request)) && isLoopbackHost(request.headers.host ?? '');
}

/**
 * True if a request may come from the machine that runs this container, by a name of that machine's own. Through a
 * published port strangers can look like it as well, so this alone opens nothing.
 */
export function isFromContainerHost(request: FastifyRequest, gateway: string): boolean {
  if (proxyHeaders.some((name) => request.headers[name] !== undefined)) return false;
  return peerOf(request) === gateway && isLoopbackHost(request.headers.host ?? '');
}

/** An IPv4 address stands in an IPv6 one where the socket takes both. */
function peerOf(request: FastifyRequest): string {
  return (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}

function isLoopbackPeer(peer: string): boolean {
  return peer === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(peer);
}

function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}
