import type {
  AnswerCheck,
  Delegate,
  DelegateContext,
  DelegateMethod,
} from "../src/core/delegate.ts";
import { fail } from "../src/core/errors.ts";

type Method = (context: Partial<DelegateContext>, argument: unknown) => unknown;

/**
 * A delegate made of functions, without loading and deadlines; `asked` lists the methods called so
 * far.
 */
export const fakeDelegate = (
  methods: Readonly<Partial<Record<DelegateMethod, Method>>>,
): { readonly delegate: Delegate; readonly asked: DelegateMethod[] } => {
  const asked: DelegateMethod[] = [];
  const delegate: Delegate = {
    session(facts) {
      let context = facts;
      return {
        has: (method) => methods[method] !== undefined,
        learn(more) {
          context = { ...context, ...more };
        },
        call<T>(method: DelegateMethod, check: AnswerCheck<T>, argument?: unknown): T | Promise<T> {
          asked.push(method);
          const accept = (answer: unknown): T => {
            const read = check.read(answer);
            return read === undefined
              ? fail("internal", `${method}: expected ${check.expected}`)
              : read;
          };
          const called = methods[method] ?? fail("internal", `${method}: is not there`);
          const answer = called(context, argument);
          return answer instanceof Promise ? answer.then(accept) : accept(answer);
        },
      };
    },
  };
  return { delegate, asked };
};
