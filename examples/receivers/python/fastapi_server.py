import os
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from desk import receiver

app = FastAPI()


# Request, not a model: the signature covers the bytes as they came.
@app.post("/hooks{path:path}")
async def hooks(request: Request, path: str):
    status, answer = await run_in_threadpool(receiver.receive, path, request.headers, await request.body())
    return Response(answer, status, media_type="application/json")


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", 3000)), access_log=False)
