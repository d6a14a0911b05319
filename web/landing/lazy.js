// Work for elements once they come into view, a few at a time.

/** Number of concurrent jobs: browsers open six connections, and tiles need some of them. */
const maxRunning = 4;

const jobs = new WeakMap();
/** Elements in view whose jobs have not started; those that leave the view leave the queue. */
const waiting = new Set();
let running = 0;

const observer = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) {
      if (isIntersecting && jobs.has(target)) waiting.add(target);
      else waiting.delete(target);
    }
    start();
  },
  { rootMargin: "300px" },
);

/** Runs a job, which returns a promise, when an element comes into view. */
export const whenSeen = (element, job) => {
  jobs.set(element, job);
  observer.observe(element);
};

const start = () => {
  for (const element of waiting) {
    if (running === maxRunning) return;
    waiting.delete(element);
    observer.unobserve(element);
    const job = jobs.get(element);
    jobs.delete(element);
    running++;
    job().finally(() => {
      running--;
      start();
    });
  }
};
