/* qurt_mailbox.h: mailboxes, each of which holds one value.
 *
 * The interface (names, signatures, values) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_MAILBOX_H
#define QURT_MAILBOX_H

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_MAILBOX_ID_NULL 0
#define QURT_MAILBOX_ERROR (-1)
#define QURT_MAILBOX_ID_ERROR (-2)
#define QURT_MAILBOX_NON_VALID_DATA (-3) /* no value; the previous one is returned */
#define QURT_MAILBOX_FULL (-4)
#define QURT_MAILBOX_DELETED (-5)
#define QURT_MAILBOX_RECEIVE_HALTED (-6)
#define QURT_MAILBOX_BANDWIDTH_LIMIT (-7)

typedef enum {
    QURT_MAILBOX_AT_QURTOS = 0,
    QURT_MAILBOX_AT_ROOTPD = 1,
    QURT_MAILBOX_AT_USERPD = 2,
    QURT_MAILBOX_AT_SECUREPD = 3
} qurt_mailbox_receiver_cfg_t;

typedef enum {
    QURT_MAILBOX_SEND_OVERWRITE = 0,
    QURT_MAILBOX_SEND_NON_OVERWRITE = 1
} qurt_mailbox_send_option_t;

typedef enum {
    QURT_MAILBOX_RECV_WAITING = 0,
    QURT_MAILBOX_RECV_NON_WAITING = 1,
    QURT_MAILBOX_RECV_PEEK_NON_WAITING = 2 /* leaves the value in the mailbox */
} qurt_mailbox_recv_option_t;

/* The name has at most 8 characters. Returns QURT_MAILBOX_ID_NULL when the name exists. */
unsigned long long qurt_mailbox_create(char *name, qurt_mailbox_receiver_cfg_t recv_opt);
unsigned long long qurt_mailbox_get_id(char *name);
int qurt_mailbox_send(unsigned long long mailbox_id, qurt_mailbox_send_option_t send_opt,
                      unsigned long long data);
int qurt_mailbox_receive(unsigned long long mailbox_id, qurt_mailbox_recv_option_t recv_opt,
                         unsigned long long *data);
int qurt_mailbox_delete(unsigned long long mailbox_id);

/* Wakes the threads that wait for a value. */
int qurt_mailbox_receive_halt(unsigned long long mailbox_id);

#ifdef __cplusplus
}
#endif

#endif
