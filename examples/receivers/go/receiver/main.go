// What happens with each call. The human here repeats what the user says, and closes at "bye": put yours in.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"signalbox.example"
)

func handle(event string, call signalbox.Call) error {
	id := call.ConversationID
	switch event {
	case "message":
		for _, output := range call.Output {
			fmt.Printf("said in %s: %s\n", id, output.Content.Text)
		}
	case "handoff_requested":
		fmt.Printf("a person is wanted in %s: %s\n", id, call.Body)
		reply(id, "Hello, this is Ada. How can I help?")
	case "user_message":
		var text string
		if err := json.Unmarshal(call.Body, &text); err != nil {
			return err
		}
		fmt.Printf("the user writes in %s: %s\n", id, text)
		if text == "bye" {
			post("/v1/human/close", map[string]any{"conversation_id": id, "timestamp": time.Now().UnixMilli()})
		} else {
			reply(id, "You said: "+text)
		}
	case "handoff_closed":
		fmt.Printf("%s is over: %s\n", id, call.Type)
	}
	return nil
}

func reply(id, text string) {
	post("/v1/human/message/receive", map[string]any{
		"conversation_id": id, "timestamp": time.Now().UnixMilli(), "body": text, "human_name": "Ada",
	})
}

// post runs after the answer: the agent answers what a desk closes without acknowledging. Without an API key, it only listens.
func post(path string, body any) {
	if os.Getenv("SIGNALBOX_API_KEY") == "" {
		return
	}
	time.AfterFunc(time.Second, func() {
		answer, err := signalbox.Post(path, body)
		if err != nil {
			log.Print(err)
			return
		}
		answer.Body.Close()
	})
}

func main() {
	secrets := strings.Fields(os.Getenv("SIGNALBOX_SIGNING_SECRET"))
	if len(secrets) == 0 {
		log.Fatal("SIGNALBOX_SIGNING_SECRET is missing")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	http.Handle("/", &signalbox.Receiver{
		Handle:   handle,
		Secrets:  secrets,
		Username: os.Getenv("SIGNALBOX_WEBHOOK_USERNAME"),
		Secret:   os.Getenv("SIGNALBOX_WEBHOOK_SECRET"),
	})
	fmt.Printf("receiving at http://127.0.0.1:%s/hooks\n", port)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
