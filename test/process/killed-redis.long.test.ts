import { killedContract } from "../contract/killed.ts";
import { noRedis, redisPassword, startRedis } from "../servers/redis.ts";

killedContract(
  "RedisCache",
  noRedis === undefined
    ? async () => {
        const { port, remove } = await startRedis();
        return {
          settings: {
            "RedisCache.host": "127.0.0.1",
            "RedisCache.port": port,
            "RedisCache.password": redisPassword,
          },
          remove,
        };
      }
    : { skipped: noRedis },
);
