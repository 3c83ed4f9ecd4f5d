import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import { chooseWritingQuestions, getWritingQuestions } from '#shared/contract/letters/writing-questions.ts';
import type { WritingQuestions } from './writing-questions.service.ts';

export function registerWritingQuestionRoutes(app: FastifyInstance, questions: WritingQuestions): void {
  bind(app, getWritingQuestions, ({ principal }) => questions.read(principal));
  bind(app, chooseWritingQuestions, ({ principal, origin, body }) =>
    questions.choose({ principal, origin }, body.isWanted),
  );
}
