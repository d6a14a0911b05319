/** The variable with the number of workers. */
export const workerCountVariable = "VITRINE_WORKERS";

/** The variable with the worker's number, from 1; a worker's replacement has its number. */
export const workerNumberVariable = "VITRINE_WORKER";

/** The variable with the descriptor of the notes file, where there is one. */
export const workerNotesVariable = "VITRINE_NOTES";

/** The variable with descriptor and size in bytes of the memory that workers share, if any. */
export const sharedMemoryVariable = "VITRINE_SHARED_MEMORY";

/** The variable with the secret by which workers encrypt cursors of lists. */
export const cursorSecretVariable = "VITRINE_CURSOR_SECRET";
