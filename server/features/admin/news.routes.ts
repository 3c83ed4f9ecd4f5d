import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { getNewsChoice, openNewsPage, setNewsChoice, stopNewsAtOnce } from '#shared/contract/news.ts';
import type { News } from './news.service.ts';

/** For whoever holds the link at the foot of news. */
export function registerNewsRoutes(app: FastifyInstance, news: News): void {
  bind(app, getNewsChoice, ({ params }) => news.read(params.token));

  bind(app, setNewsChoice, ({ params, body, origin }) => news.choose(params.token, body.wantsNews, origin));

  bind(app, openNewsPage, async ({ params, reply }) => {
    await news.read(params.token);
    return reply.redirect(`/news/${encodeURIComponent(params.token)}`);
  });

  bind(app, stopNewsAtOnce, async ({ params, origin }) => {
    await news.choose(params.token, false, origin);
    return { ok: true as const };
  });
}
