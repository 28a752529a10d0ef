// Package signalbox receives Signalbox's webhooks and calls its API, with the standard library alone.
package signalbox

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Call has the fields of all four calls; those of the others are empty.
type Call struct {
	ConversationID string   `json:"conversation_id"`
	IsTest         bool     `json:"istest"`
	Type           string   `json:"type"`
	Output         []Output `json:"output"`
	// A list of messages when a handoff is requested, a text when the user writes.
	Body json.RawMessage `json:"body"`
}

// Output is a part of a message.
type Output struct {
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
}

// Receiver is an http.Handler. Handle gets message, handoff_requested, user_message or handoff_closed, and returns soon.
type Receiver struct {
	Handle           func(event string, call Call) error
	Secrets          []string // Two during a rotation.
	Username, Secret string
	// With several processes, keep the ids in your database, in the transaction that writes the effect.
	seen sync.Map
}

func (receiver *Receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 4<<20))
	var call Call
	switch {
	case err != nil:
		http.Error(response, "{}", http.StatusRequestEntityTooLarge)
	case request.Method != http.MethodPost:
		http.Error(response, "{}", http.StatusMethodNotAllowed)
	case !receiver.isAuthorized(request) || !receiver.isSigned(request.Header, body):
		http.Error(response, "{}", http.StatusUnauthorized)
	case json.Unmarshal(body, &call) != nil:
		http.Error(response, "{}", http.StatusBadRequest)
	default:
		event, word := eventOf(request.URL.Path)
		if err := receiver.handleOnce(request.Header.Get("webhook-id"), event, call); err != nil {
			http.Error(response, "{}", http.StatusInternalServerError)
			return
		}
		response.Header().Set("content-type", "application/json")
		fmt.Fprintf(response, `{"code":200,"%s":"success"}`, word)
	}
}

func (receiver *Receiver) handleOnce(id, event string, call Call) error {
	if call.IsTest {
		return nil
	}
	if _, isRepeat := receiver.seen.LoadOrStore(id, true); isRepeat {
		return nil
	}
	err := receiver.Handle(event, call)
	if err != nil {
		receiver.seen.Delete(id) // The next attempt is handled again.
	}
	time.AfterFunc(24*time.Hour, func() { receiver.seen.Delete(id) })
	return err
}

func eventOf(path string) (event, word string) {
	switch {
	case strings.HasSuffix(path, "/conversation/establish"):
		return "handoff_requested", "message"
	case strings.HasSuffix(path, "/chat"):
		return "user_message", "message"
	case strings.HasSuffix(path, "/conversation/close"):
		return "handoff_closed", "message"
	}
	return "message", "msg"
}

func (receiver *Receiver) isAuthorized(request *http.Request) bool {
	wanted := "Bearer " + receiver.Username
	if receiver.Secret != "" {
		wanted = "Basic " + base64.StdEncoding.EncodeToString([]byte(receiver.Username+":"+receiver.Secret))
	}
	return receiver.Username == "" || hmac.Equal([]byte(request.Header.Get("authorization")), []byte(wanted))
}

// isSigned says whether Signalbox signed these bytes with one of the secrets, at most five minutes ago.
func (receiver *Receiver) isSigned(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	for _, secret := range receiver.Secrets {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(signature), []byte(given)) {
				return true
			}
		}
	}
	return false
}

// Post makes an API call with SIGNALBOX_URL and SIGNALBOX_API_KEY. The caller closes the reply.
func Post(path string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, os.Getenv("SIGNALBOX_URL")+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("authorization", "Bearer "+os.Getenv("SIGNALBOX_API_KEY"))
	request.Header.Set("content-type", "application/json")
	client := http.Client{Timeout: time.Minute}
	reply, err := client.Do(request)
	if err == nil && reply.StatusCode != http.StatusOK {
		failure, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		return nil, fmt.Errorf("HTTP %d: %s", reply.StatusCode, failure)
	}
	return reply, err
}
