// Package gateway is a client of the tenant send API of Argosy's messaging gateway. It uses the standard library only.
package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Channels of the gateway.
const (
	PhoneMessenger = "phone_messenger"
	BotMessenger   = "bot_messenger"
	PhotoSocial    = "photo_social"
	Webchat        = "webchat"
	Echo           = "echo"
)

// Statuses of a message.
const (
	Pending = "pending"
	Sending = "sending"
	Sent    = "sent"
	Failed  = "failed"
)

// answerBytesMax bounds what is read of one answer.
const answerBytesMax = 1 << 20

// Client sends the messages of one tenant. It is safe for concurrent use.
type Client struct {
	baseURL    string
	sendKey    string
	httpClient *http.Client
}

// New returns a client of the gateway at baseURL, such as http://127.0.0.1:8081, with the tenant's send key. A nil httpClient means
// http.DefaultClient, which has no time limit: use contexts with one. The client follows no redirects, because they would pass the key on.
func New(baseURL, sendKey string, httpClient *http.Client) (*Client, error) {
	parsed, err := url.Parse(baseURL)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		return nil, fmt.Errorf("gateway: the base URL must be one of http or https, got %q", baseURL)
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "" {
		return nil, fmt.Errorf("gateway: the base URL must have no user, query or fragment, got %q", parsed.Redacted())
	}
	if sendKey == "" {
		return nil, errors.New("gateway: the send key is empty")
	}
	for _, char := range sendKey {
		if char <= ' ' || char > '~' {
			return nil, errors.New("gateway: the send key must be ASCII without spaces and line breaks")
		}
	}
	if httpClient == nil {
		httpClient = http.DefaultClient
	}
	own := *httpClient
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{baseURL: strings.TrimRight(baseURL, "/"), sendKey: sendKey, httpClient: &own}, nil
}

// Media is a file to send. Kind is image, audio, video or document; URL must be public.
type Media struct {
	Kind     string `json:"kind"`
	URL      string `json:"url"`
	MimeType string `json:"mime_type,omitempty"`
	Caption  string `json:"caption,omitempty"`
}

// Template is a message form that the provider approved, for PhoneMessenger only.
type Template struct {
	Name     string   `json:"name"`
	Language string   `json:"language"`
	Params   []string `json:"params,omitempty"`
}

// Message is what a tenant sends. At least one of Text, Media and Template is required, and either Channel and Recipient or
// ConversationRef. Of Media, only the first item is sent.
type Message struct {
	Channel         string    `json:"channel,omitempty"`
	Recipient       string    `json:"recipient,omitempty"`
	AccountID       string    `json:"account_id,omitempty"`
	Text            string    `json:"text,omitempty"`
	Media           []Media   `json:"media,omitempty"`
	Template        *Template `json:"template,omitempty"`
	ConversationRef string    `json:"conversation_ref,omitempty"`

	// IdempotencyKey makes a repeated call return the first message instead of queueing a second one.
	IdempotencyKey string `json:"-"`
}

// Queued is a message that the gateway accepted.
type Queued struct {
	MessageID string `json:"message_id"`
	Status    string `json:"status"`
}

// Outcome is what became of a message. LastError is nil if no try failed.
type Outcome struct {
	MessageID string  `json:"message_id"`
	Status    string  `json:"status"`
	Attempts  int     `json:"attempts"`
	LastError *string `json:"last_error"`
}

// Error is a refusal of the gateway. Message says what to fix.
type Error struct {
	StatusCode int
	Message    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("gateway: %d: %s", e.StatusCode, e.Message)
}

// Send queues a message. Ask for its outcome with GetMessage.
func (c *Client) Send(ctx context.Context, message Message) (*Queued, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("gateway: the message can't be encoded: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.baseURL+"/api/v1/messages/send", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if message.IdempotencyKey != "" {
		request.Header.Set("Idempotency-Key", message.IdempotencyKey)
	}
	var queued Queued
	if err := c.do(request, http.StatusAccepted, &queued); err != nil {
		return nil, err
	}
	if queued.MessageID == "" {
		return nil, errors.New("gateway: the answer was not understood: it has no message id")
	}
	return &queued, nil
}

// GetMessage returns what became of a message. Another tenant's message is an *Error with status 404.
func (c *Client) GetMessage(ctx context.Context, id string) (*Outcome, error) {
	if id == "" || id == "." || id == ".." {
		return nil, fmt.Errorf("gateway: %q is no message id", id)
	}
	address := c.baseURL + "/api/v1/messages/" + url.PathEscape(id)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	var outcome Outcome
	if err := c.do(request, http.StatusOK, &outcome); err != nil {
		return nil, err
	}
	return &outcome, nil
}

func (c *Client) do(request *http.Request, wanted int, into interface{}) error {
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-Gateway-Key", c.sendKey)
	response, err := c.httpClient.Do(request)
	if err != nil {
		return fmt.Errorf("gateway: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	if err != nil {
		return fmt.Errorf("gateway: the answer broke off: %w", err)
	}
	if response.StatusCode != wanted {
		return refusal(response.StatusCode, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("gateway: the answer was not understood: %w", err)
	}
	return nil
}

func refusal(status int, body []byte) error {
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil || said.Error == "" {
		said.Error = http.StatusText(status)
	}
	return &Error{StatusCode: status, Message: said.Error}
}
