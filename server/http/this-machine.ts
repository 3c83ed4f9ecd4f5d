import type { FastifyRequest } from 'fastify';
import { readContainerGateway } from './container-gateway.ts';

/** What a proxy adds. With one in between, every peer is this machine. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** In a container, whose own loopback nobody uses, the machine that runs it is this machine. */
const containerGateway = readContainerGateway();

/**
 * Whether a request comes from a program on this machine: the peer of the connection itself, never an address from a header. The name in `Host` must be this machine's as
 * well, or a page elsewhere whose name was made to lead here could read the answer (DNS rebinding).
 */
export function isFromThisMachine(request: FastifyRequest): boolean {
  if (proxyHeaders.some((name) => request.headers[name] !== undefined)) return false;
  return isOurs(request.socket.remoteAddress ?? '') && isLoopbackHost(request.headers.host ?? '');
}

function isOurs(address: string): boolean {
  const peer = address.replace(/^::ffff:/, '');
  return peer === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(peer) || peer === containerGateway;
}

function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}
