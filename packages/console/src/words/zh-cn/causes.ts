import type { ScreenWords } from "../provider.tsx";

export const causes: ScreenWords["causes"] = {
  forbidden_address: {
    title: "地址不允许访问",
    fix: "该 URL 指向私有、本地或保留网络。如果接收端是你自己的，请让运维用 WEBHOOK_ALLOWED_HOSTS 或 WEBHOOK_ALLOWED_IPS（含端口）放行。",
  },
  dns_not_found: {
    title: "找不到主机名",
    fix: "请检查 URL 中的主机名是否拼写有误，以及域名的 DNS 记录是否已发布。",
  },
  dns_failed: {
    title: "DNS 解析失败",
    fix: "通常会自行恢复。若持续出现，请检查该域名的名称服务器，以及 Signalbox 所在机器的解析器。",
  },
  connect_refused: {
    title: "连接被拒绝",
    fix: "该地址没有程序在监听。请启动接收端，或更正 URL 中的端口；若在负载均衡之后，则说明没有健康的后端。",
  },
  host_unreachable: {
    title: "主机不可达",
    fix: "请检查双方的路由和防火墙。若该主机名只有 IPv6 地址，Signalbox 也需要 IPv6。",
  },
  connection_lost: {
    title: "连接中断",
    fix: "接收端或代理切断了连接，消息可能已送达。请检查是否崩溃或重启、代理超时或请求大小限制，并按 webhook-id 去重。",
  },
  timeout: { title: "超时", fix: "请先应答 200，再处理耗时任务。消息可能已送达，请按 webhook-id 去重。" },
  tls_expired: { title: "证书已过期", fix: "请更新接收端证书，并检查双方机器的时钟。" },
  tls_wrong_host: {
    title: "证书主机名不符",
    fix: "请使用证书签发时的主机名，或重新签发包含该主机名的证书。",
  },
  tls_untrusted: {
    title: "证书不受信任",
    fix: "请提供包含中间证书的完整链。若为私有 CA，请让运维将其加入受信任证书。",
  },
  tls_failed: { title: "TLS 握手失败", fix: "该端口可能只支持明文 HTTP，或只支持 1.2 以前的 TLS 版本。" },
  headers_too_large: {
    title: "响应头过大",
    fix: "请减少响应头。通常是因为 Cookie 过大，而 Webhook 并不需要 Cookie。",
  },
  malformed_response: {
    title: "响应格式错误",
    fix: "响应不是有效的 HTTP/1.1。请检查该端口上是否有使用其他协议的代理。",
  },
  invalid_request: { title: "无法构造请求", fix: "URL 或凭据无法写入请求。请重新配置该 Webhook，然后重放。" },
  http_status: {
    title: "响应不是 HTTP 200",
    fix: "请在接收端日志中查找该 webhook-id。401 或 403：核对凭据；404：检查 URL 路径。不会跟随重定向。",
  },
  unacknowledged: {
    title: "未确认",
    fix: '请应答 {"code":200,"msg":"success"}，或关闭严格确认，此后任何 HTTP 200 都视为成功。',
  },
  unreadable_secret: {
    title: "存储的密钥无法解封",
    fix: "封存密钥已更换。请让运维在 SEALING_KEYS 中恢复旧密钥，或重新设置凭据。",
  },
  no_destination: { title: "Webhook 已删除", fix: "已无处可发。重新配置的 Webhook 是另一个目标。" },
  destination_down: { title: "人工服务不可用", fix: "用户请求人工时该服务正在失败，其他投递会说明原因。" },
  expired: { title: "等待超时", fix: "Webhook 停机时间超过消息的最长等待时间。恢复后请重放错过的消息。" },
  erased: { title: "已清除", fix: "用户数据在投递前已被清除，没有内容可发送。" },
};
